-- The envelope of an event, as it is signed and sent: the same bytes each time, whoever reads it. Its members are columns of the row, so that the log
-- has them once; its time is the one in its id.
create or replace function event_body(e events) returns text
language sql stable as $$
  select json_build_object('id', e.id, 'type', e.type, 'origin', case when e.from_app then 'app' else 'service' end, 'data', e.data::json,
    'timestamp', to_char(coalesce(sortable_time(e.id), e.created_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'))::text
$$;
