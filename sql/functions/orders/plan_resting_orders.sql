-- Plans the next reading of resting orders at the exchange. There is one planned reading, and an earlier one stays.
create or replace function plan_resting_orders(delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job('exchange/resting', '{}', run_at => now() + make_interval(secs => delay_s), job_key => 'resting',
    job_key_mode => 'preserve_run_at', max_attempts => 25)
$$;
