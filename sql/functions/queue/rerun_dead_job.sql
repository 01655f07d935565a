-- Queues a dead job without an intent again, with all of its attempts, if ops.safe_to_rerun_job allows it, and records the operator,
-- rejected calls too. One that has nothing to do any more is deleted. Locks the job. No row: there is no such job.
create or replace function rerun_dead_job(job bigint, by_operator text, because text, noted jsonb default '{}') returns table (
  done boolean, verdict text, is_safe boolean, would_do text, reason text
)
language plpgsql as $$
begin
  perform from queue_jobs j where j.id = job for update;
  select s.* into verdict, is_safe, would_do, reason from ops.safe_to_rerun_job(job) s;
  if not found then
    return;
  end if;
  done := verdict = 'queued_again';
  perform record_action(by_operator, 'rerun_job', job::text, null, null, because,
    noted || jsonb_build_object('done', done, 'verdict', verdict, 'reason', reason,
      'task', (select j.task from ops.jobs j where j.job_id = job)));
  if done then
    perform graphile_worker.reschedule_jobs(array[job], run_at => now(), attempts => 0);
  elsif verdict = 'finished' then
    perform graphile_worker.complete_jobs(array[job]);
  end if;
  return next;
end $$;
