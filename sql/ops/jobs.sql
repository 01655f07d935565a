create or replace view ops.jobs as
select j.id as job_id, j.task,
  case when j.payload ->> 'intent_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (j.payload ->> 'intent_id')::uuid end as intent_id,
  j.run_at, j.attempts, j.max_attempts, j.locked_at, j.locked_by,
  j.locked_at is not null and ops.is_worker_alive(j.locked_by, j.locked_at) as is_held,
  j.locked_at is null and j.attempts >= j.max_attempts as is_dead,
  left(split_part(j.last_error, E'\n', 1), 200) as last_error
from queue_jobs j;
comment on view ops.jobs is
  'Jobs of the queue. is_held: a living worker runs it. is_dead: its attempts are used up and no worker will take it again.';
