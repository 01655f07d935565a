-- Queues jobs, with cached plans: otherwise PostgreSQL would plan the statements of add_jobs at each call, because the number of jobs changes the
-- estimate, which takes longer than queueing them. A plan that was made while there were few jobs must not read all that wait, so scans (of whole
-- indexes too) and hash joins are off: jobs are found by their keys. The queue announces every job to the runners of orders and money; those of the
-- outbound tasks are announced by announce_outbound, so that an order does not make that runner look for jobs.
create or replace function enqueue(jobs graphile_worker.job_spec[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_indexscan = off as $$
begin
  perform graphile_worker.add_jobs(jobs);
  if exists (select from unnest(jobs) j where is_outbound(j.identifier)) then
    perform announce_outbound();
  end if;
end $$;
