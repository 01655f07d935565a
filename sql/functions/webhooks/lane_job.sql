-- The job of one lane. A lane has at most one; with the job key a planned job can be moved forward.
create or replace function lane_job(endpoint text, lane integer, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row('webhooks/deliver', json_build_object('endpoint_id', endpoint, 'lane', lane), null, run_at, null,
    webhook_job_key(endpoint, lane::text), null, null)::graphile_worker.job_spec
$$;
