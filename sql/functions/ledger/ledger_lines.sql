-- Both sides of every entry: debits are positive, credits negative. The sum of an account's lines is its balance; the sum of a currency is zero.
-- The time of the record is as it is shown, to the millisecond: who asks for what was known at the time of an entry gets that entry too.
create or replace view ledger_lines as
select e.id as entry_id, t.id as transaction_id, t.kind as transaction_kind, t.subject, t.owner, t.source, t.said_at,
  date_trunc('milliseconds', t.recorded_at) as recorded_at, a.kind as account,
  a.holder, a.currency, s.sign * e.amount as amount
from ledger_transactions t
join ledger_entries e on e.transaction_id = t.id
cross join lateral (values (e.debit_id, 1), (e.credit_id, -1)) as s (account_id, sign)
join ledger_accounts a on a.id = s.account_id;
comment on view ledger_lines is 'Both sides of every entry of the ledger: debits are positive, credits negative.';
