create or replace view ops.dead_jobs as
select j.id as job_id, p.task,
  jsonb_strip_nulls(jsonb_build_object(
    'mail_id', j.payload ->> 'mail_id', 'event_id', j.payload ->> 'event_id', 'payment_id', j.payload ->> 'payment_id',
    'prop_account_id', j.payload ->> 'prop_account_id', 'registration_id', j.payload ->> 'registration_id',
    'endpoint_id', j.payload ->> 'endpoint_id', 'lane', j.payload ->> 'lane'
  )) as about,
  j.attempts, j.created_at, j.updated_at as died_at, p.last_error
from ops.jobs p
join queue_jobs j on j.id = p.job_id
where p.is_dead and p.intent_id is null
order by j.updated_at;
comment on view ops.dead_jobs is
  'Jobs that are for no intent and whose attempts are used up, oldest first: no worker takes them again. Normally empty. What a re-run would do: '
  'ops.safe_to_rerun_job(id). Jobs of intents: ops.stuck_intents.';
