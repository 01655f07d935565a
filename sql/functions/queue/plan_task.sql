-- Plans a task without a payload. With a delay: one job for all who plan it under this key; an earlier one stays. At once: a separate job for this
-- transaction, since a shared one would be locked until each commit, and statements that lock more after it could deadlock.
create or replace function plan_task(task text, key text, delay_s double precision) returns void
language plpgsql as $$
begin
  if delay_s <= 0 then
    perform graphile_worker.add_job(task, '{}', job_key => key || ' ' || pg_current_xact_id(), max_attempts => 25);
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('plan ' || key, 0)); -- so that nobody replaces an earlier one that is not committed yet
  perform graphile_worker.add_job(task, '{}', run_at => least(now() + make_interval(secs => delay_s), (
    select j.run_at
    from queue_jobs j
    where j.key = plan_task.key and j.is_available
  )), job_key => key, max_attempts => 25);
end $$;
