create or replace view ops.failed_intents as
select f.intent_id, f.kind, f.owner, f.state, f.effect, f.problem_code, f.problem_reason, f.attempts, f.reconcile_attempts, f.created_at,
  f.sending_at, f.settled_at
from ops.intents f
where f.phase in ('failed', 'expired')
order by f.created_at desc;
comment on view ops.failed_intents is
  'Intents that ended without a result, newest first: the upstream rejected it, it was too late to send, or nothing proves its effect (effect '
  'unknown, see ops.undecided_intents). They stay ended; those with effect none may be submitted again with a new id.';
