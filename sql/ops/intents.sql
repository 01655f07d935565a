-- All intents. Of `request`, `sent_payload` and `outcome` only a problem's code and reason are shown.
create or replace view ops.intents as
select i.id as intent_id, i.kind, i.owner, i.state,
  case
    when i.state = 'succeeded' then 'done'
    when i.state = 'failed' then coalesce(i.outcome -> 'problem' ->> 'effect', 'none')
    when i.state = 'in_doubt' or i.state = 'running' and i.sending_at is not null then 'unknown'
    else 'none'
  end as effect,
  i.outcome -> 'problem' ->> 'effect' = 'unknown' as is_undecided, i.outcome -> 'problem' ->> 'code' as problem_code,
  i.outcome -> 'problem' ->> 'reason' as problem_reason, i.unknown_because,
  i.attempts, i.reconcile_attempts, i.lane, i.request_id, i.created_at, i.deadline_at, i.sending_at, i.settled_at, i.phase
from intents i;
comment on view ops.intents is
  'All intents, without request, sent payload and response. unknown_because: why it was last in doubt. phase: its state, and pending for queued '
  'and running; the indexes have it. The full story of one: select * from ops.history(id).';
