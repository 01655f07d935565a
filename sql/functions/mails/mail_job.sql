-- The job that sends a mail, as enqueue takes it.
create or replace function mail_job(mail uuid, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row('mail/send', json_build_object('mail_id', mail), null, run_at, null, null, null, null)::graphile_worker.job_spec
$$;
