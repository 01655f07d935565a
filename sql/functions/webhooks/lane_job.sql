-- The job of one lane. A lane has at most one; with the job key a planned job can be moved forward. A lane that has had a turn has a job with a time,
-- so that new lanes and all other tasks come first.
create or replace function lane_job(endpoint text, lane integer, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row('webhooks/deliver', json_build_object('endpoint_id', endpoint, 'lane', lane), null, run_at, null,
    webhook_job_key(endpoint, lane::text), case when run_at is null then 0 else 1 end, null)::graphile_worker.job_spec
$$;
