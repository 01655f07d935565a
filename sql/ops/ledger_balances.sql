create or replace function ops.ledger_balances(
  as_of timestamptz default 'infinity', known_at timestamptz default 'infinity', of_app text default null
) returns table (account text, payout_account text, currency text, balance bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select l.account, l.holder, l.currency, sum(l.amount)::bigint
  from ledger_lines l
  where l.said_at < as_of and l.recorded_at <= known_at and (of_app is null or l.owner = of_app)
  group by l.account, l.holder, l.currency
  order by l.currency, l.account, l.holder
$$;
comment on function ops.ledger_balances is
  'The balance of every account of the ledger before a time by the processor''s clock, as it was known at a time by ours, of one app or of all. '
  'Debits are positive.';
