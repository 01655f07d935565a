-- Plans the next check of keys that the exchange has not confirmed: their wallets' orders wait for it. There is one, and an earlier one stays.
create or replace function plan_key_check(delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job('enrollments/verify', '{}', run_at => now() + make_interval(secs => delay_s), job_key => 'verify',
    job_key_mode => 'preserve_run_at', max_attempts => 25)
$$;
