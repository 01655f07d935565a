-- The partners that have enrolled a wallet, and since when, in the order in which their event logs are locked.
create or replace function wallet_followers(wallet text) returns table (owner text, enrolled_at timestamptz)
language sql stable as $$
  select e.owner, e.created_at
  from enrollments e
  join partners p on p.id = e.owner
  where e.ex_wallet = wallet
  order by e.owner
$$;
