create or replace function ops.ledger_balances(as_of timestamptz default 'infinity', known_at timestamptz default 'infinity')
returns table (account text, payout_account text, currency text, balance bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select b.*
  from ledger_balances(as_of, known_at) b
$$;
comment on function ops.ledger_balances is
  'The balance of every account of the ledger before a time by the processor''s clock, as it was known at a time by ours. Debits are positive.';
