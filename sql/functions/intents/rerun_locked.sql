-- Runs intents again whose rows and lanes the caller has locked, each if ops.assessments_of allows it, and records the operator for each. One whose
-- turn has come while its row was locked gets it (see advance_lane).
create or replace function rerun_locked(ids uuid[], by_operator text, because text, noted jsonb) returns table (
  done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language plpgsql as $$
declare
  assessed record;
  chosen uuid[] := '{}';
begin
  for assessed in
    select a.*, i.state as was
    from ops.assessments_of(ids) a
    join intents i on i.id = a.intent_id
  loop
    done := assessed.verdict in ('queued_again', 'reconcile_again', 'send_again');
    if done then
      chosen := chosen || assessed.intent_id;
    end if;
    perform record_action(by_operator, 'rerun', assessed.intent_id::text, null, null, because,
      noted || jsonb_build_object('done', done, 'verdict', assessed.verdict, 'was', assessed.was, 'reason', assessed.reason));
    select assessed.verdict, assessed.is_safe, assessed.was_sent, assessed.venue_says, assessed.would_do, assessed.reason
    into verdict, is_safe, was_sent, venue_says, would_do, reason;
    return next;
  end loop;
  perform ops.enqueue_now(chosen);
  perform advance_lane(i.lane, null, i.owner)
  from intents i
  join lanes l on l.name = i.lane
  join intents h on h.id = l.head and h.state in ('queued', 'running')
  where i.id = any(ids) and i.phase = 'pending';
end $$;
