-- Plans the next reading of the exchange wallets that are due (see plan_task).
create or replace function plan_exit_watch(delay_s double precision) returns void
language sql as $$
  select plan_task('exchange/watch', 'watch', delay_s)
$$;
