create or replace function ops.rerun_job(job bigint, who text, why text) returns table (
  done boolean, verdict text, is_safe boolean, would_do text, reason text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_who_and_why(who, why);
  perform from queue_jobs j where j.id = job for update;
  select s.* into verdict, is_safe, would_do, reason from ops.safe_to_rerun_job(job) s;
  if not found then
    return;
  end if;
  done := verdict = 'queued_again';
  if done then
    perform graphile_worker.reschedule_jobs(array[job], run_at => now(), attempts => 0);
  end if;
  perform ops.note(who, 'rerun_job', job::text, why, jsonb_build_object('done', done, 'verdict', verdict, 'reason', reason,
    'task', (select j.task from ops.jobs j where j.job_id = job)));
  return next;
end $$;
comment on function ops.rerun_job(bigint, text, text) is
  'Queues a dead job without an intent again, with all of its attempts, if safe_to_rerun_job allows it. Always recorded in ops.actions. No row: there is no such job.';
