-- Writes an event and queues its deliveries in the caller's transaction. `from_origin`: see record_events. Returns the number of deliveries. Other
-- capabilities call it last in the statement that makes the event true.
create or replace function emit_event(of_owner text, of_type text, payload jsonb, from_origin text default 'service') returns integer
language sql as $$
  select fan_out(record_event(of_owner, of_type, payload, from_origin))
$$;
