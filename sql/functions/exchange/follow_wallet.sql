-- Begins the ledger of an exchange wallet with what happens from now on, a minute of clock skew included, and makes the wallet due at once. A
-- ledger that was begun before goes on where it is.
create or replace function follow_wallet(wallet text) returns void
language sql as $$
  insert into exchange_cursors as c (ex_wallet, read_to, complete_from)
  values (wallet, now() - interval '1 minute', now() - interval '1 minute')
  on conflict on constraint exchange_cursors_pkey do update set due_at = now()
$$;
