-- Appends one event to an app's log. Positions are assigned under the lock on the log's end and become visible in order, so a reader that
-- has seen a position has seen all positions before it. Take no lock after it that others take before it.
create or replace function record_event(of_app text, of_type text, about jsonb) returns events
language plpgsql as $$
declare
  event events;
begin
  insert into event_logs as l (app, last_position)
  values (of_app, 1)
  on conflict (app) do update set last_position = l.last_position + 1
  returning last_position into event.position;
  event.id := sortable_id('evt');
  event.app := of_app;
  event.type := of_type;
  event.created_at := date_trunc('milliseconds', clock_timestamp());
  event.body := json_build_object(
    'id', event.id,
    'type', of_type,
    'data', about,
    'timestamp', to_char(event.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'));
  insert into events (id, app, type, position, body, created_at)
  values (event.id, event.app, event.type, event.position, event.body, event.created_at);
  return event;
end $$;
