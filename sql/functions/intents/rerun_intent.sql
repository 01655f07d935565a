-- Runs an intent again if ops.safe_to_rerun allows it, and records the operator. Locks the intent, then its lane. `done` is false if the
-- intent stays as it is. No row: there is no such intent.
create or replace function rerun_intent(intent uuid, by_operator text, because text, noted jsonb default '{}') returns table (
  done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language plpgsql as $$
declare
  i intents;
begin
  select * into i from intents where id = intent for update;
  if not found then
    return;
  end if;
  perform from lanes l where l.name = i.lane for update;
  select s.* into verdict, is_safe, was_sent, venue_says, would_do, reason from ops.safe_to_rerun(intent) s;
  done := verdict in ('queued_again', 'reconcile_again', 'send_again');
  if done then
    perform ops.enqueue_now(i);
  end if;
  perform record_action(by_operator, 'rerun', intent::text, null, null, because,
    noted || jsonb_build_object('done', done, 'verdict', verdict, 'was', i.state, 'reason', reason));
  return next;
end $$;
