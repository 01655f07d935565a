-- Plans the next check of keys that the exchange has not confirmed: their wallets' orders wait for it (see plan_task).
create or replace function plan_key_check(delay_s double precision) returns void
language sql as $$
  select plan_task('enrollments/verify', 'verify', delay_s)
$$;
