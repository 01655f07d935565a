-- Queues jobs. With kept plans: without them PostgreSQL plans the statements of add_jobs again at each call, because the number of jobs changes
-- the estimate, and that takes longer than to queue them.
create or replace function enqueue(jobs graphile_worker.job_spec[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform graphile_worker.add_jobs(jobs);
end $$;
