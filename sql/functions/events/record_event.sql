-- Appends one event to the log of an app or a partner; see record_events.
create or replace function record_event(of_owner text, of_type text, payload jsonb, from_origin text default 'service') returns events
language sql as $$
  select * from record_events(of_owner, of_type, array[payload], from_origin)
$$;
