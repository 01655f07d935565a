-- Queues jobs within a larger statement.
create or replace function queue_money_jobs(jobs graphile_worker.job_spec[]) returns void
language sql as $$
  select enqueue(jobs)
$$;
