-- One job of the queue for a payment, account or payout.
create or replace function money_job(task text, payload json, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row(task, payload, null, run_at, null, null, null, null)::graphile_worker.job_spec
$$;
