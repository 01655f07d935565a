-- Locks the end of an owner's event log, as who writes an event does: waits for those, and keeps later ones waiting.
create or replace function lock_event_log(of_owner text) returns void
language sql as $$
  insert into event_logs as l (owner, last_position)
  values (of_owner, 0)
  on conflict (owner) do update set last_position = l.last_position
$$;
