create or replace view ops.queue_ages as
select j.task,
  count(*) filter (where j.is_ready)::integer as ready,
  count(*) filter (where j.locked_at is null and not j.is_dead and j.run_at > now())::integer as planned,
  count(*) filter (where j.locked_at is not null)::integer as running,
  count(*) filter (where j.is_dead)::integer as dead,
  extract(epoch from now() - min(j.run_at) filter (where j.is_ready))::double precision as oldest_ready_s
from (
  select p.task, p.run_at, p.locked_at, p.locked_at is null and p.attempts >= p.max_attempts as is_dead,
    p.locked_at is null and p.attempts < p.max_attempts and p.run_at <= now() as is_ready
  from queue_jobs p
) j
group by j.task
order by j.task;
comment on view ops.queue_ages is 'Jobs by task: due now, planned, running, dead, and for how many seconds the oldest due job has waited.';
