-- Whether all of a request had left by a time: by the time that was recorded, else because it was sent so much earlier (`sent_by`) that it must have.
create or replace function has_left(held intents, left_by timestamptz, sent_by timestamptz) returns boolean
language sql immutable as $$
  select case when held.left_at is null then held.sending_at <= sent_by else held.left_at <= left_by end
$$;
