-- Whose intents an intent of a lane waits for: null for everybody's there; at the exchange the owner's alone, since those who trade one wallet do not
-- wait for each other (decision 092).
create or replace function turns_of(lane_name text, of_owner text) returns text
language sql immutable as $$
  select case when lane_name like 'exvenue:%' then of_owner end
$$;
