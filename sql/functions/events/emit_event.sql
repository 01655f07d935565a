-- Writes an event and queues its deliveries in the caller's transaction. Returns the number of deliveries. Other capabilities call it last
-- in the statement that makes the event true.
create or replace function emit_event(of_owner text, of_type text, payload jsonb) returns integer
language sql as $$
  select fan_out(record_event(of_owner, of_type, payload))
$$;
