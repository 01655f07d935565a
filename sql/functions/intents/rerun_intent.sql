-- Runs an intent again if ops.safe_to_rerun allows it, and records the operator. Locks the intent, then its lane. `done` is false if the
-- intent stays as it is. No row: there is no such intent.
create or replace function rerun_intent(intent uuid, by_operator text, because text, noted jsonb default '{}') returns table (
  done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language plpgsql as $$
begin
  perform from intents i where i.id = intent for update;
  perform from lanes l where l.name = (select i.lane from intents i where i.id = intent) for update;
  return query
  select r.done, r.verdict, r.is_safe, r.was_sent, r.venue_says, r.would_do, r.reason
  from rerun_locked(array[intent], by_operator, because, noted) r;
end $$;
