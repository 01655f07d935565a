-- Lets an exchange wallet be read in `in_s` seconds, unless it is due earlier. A wallet that is not known yet is due at once anyway. Locks the cursor
-- before it reads when it is due: a process that takes the wallet at this moment has put that off.
create or replace function make_wallet_due(wallet text, in_s double precision) returns void
language sql as $$
  select
  from exchange_cursors c
  where c.ex_wallet = wallet
  for no key update;

  update exchange_cursors c
  set due_at = now() + make_interval(secs => in_s)
  where c.ex_wallet = wallet and c.due_at > now() + make_interval(secs => in_s)
$$;
