-- Plans the next reading of exchange wallets in `pause_s`, if any is followed: its orders may be executed at any time.
create or replace function plan_next_reading(pause_s double precision) returns void
language sql as $$
  select plan_exit_watch(pause_s)
  where exists (select from exchange_cursors c where c.due_at < 'infinity')
$$;
