-- The balance of every account of the ledger as of a time by the processor's clock, as it was known at a time by ours. Debits are positive. Of one
-- app, or of all (null). Entries are summed by pair of accounts before the accounts are joined; for the present balances of all apps, only entries
-- are read.
create or replace function ledger_balances(as_of timestamptz, known_at timestamptz, of_owner text default null)
returns table (account text, holder text, currency text, balance bigint)
language sql stable as $$
  with moved as materialized (
    select e.debit_id, e.credit_id, sum(e.amount) as amount
    from ledger_entries e
    where as_of = 'infinity' and known_at = 'infinity' and of_owner is null
    group by e.debit_id, e.credit_id
    union all
    select e.debit_id, e.credit_id, sum(e.amount)
    from ledger_transactions t
    join ledger_entries e on e.transaction_id = t.id
    where (as_of < 'infinity' or known_at < 'infinity' or of_owner is not null)
      and t.said_at < as_of and date_trunc('milliseconds', t.recorded_at) <= known_at and (of_owner is null or t.owner = of_owner)
    group by e.debit_id, e.credit_id
  )
  select a.kind, a.holder, a.currency, sum(s.amount)::bigint
  from moved m
  cross join lateral (values (m.debit_id, m.amount), (m.credit_id, -m.amount)) as s (account_id, amount)
  join ledger_accounts a on a.id = s.account_id
  group by a.kind, a.holder, a.currency
  order by a.currency, a.kind, a.holder
$$;
