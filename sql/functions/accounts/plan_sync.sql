-- Plans the next sync of an account with the network.
create or replace function plan_sync(account text, delay_s double precision) returns void
language sql as $$
  select enqueue(array[
    money_job('accounts/sync', json_build_object('prop_account_id', account), now() + make_interval(secs => delay_s))])
$$;
