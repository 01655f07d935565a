-- The balance of every account of the ledger as of a time by the processor's clock, as it was known at a time by ours. Debits are positive. Of one
-- app, or of all (null).
create or replace function ledger_balances(as_of timestamptz, known_at timestamptz, of_owner text default null)
returns table (account text, holder text, currency text, balance bigint)
language sql stable as $$
  select l.account, l.holder, l.currency, sum(l.amount)::bigint
  from ledger_lines l
  where l.said_at < as_of and l.recorded_at <= known_at and (of_owner is null or l.owner = of_owner)
  group by l.account, l.holder, l.currency
  order by l.currency, l.account, l.holder
$$;
