-- Plans the next reading of the exchange wallets that are due. There is one planned reading, and an earlier one stays.
create or replace function plan_exit_watch(delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job('exchange/watch', '{}', run_at => now() + make_interval(secs => delay_s), job_key => 'watch',
    job_key_mode => case when delay_s > 0 then 'preserve_run_at' else 'replace' end, max_attempts => 25)
$$;
