create or replace view ops.ledger_entries as
select e.id as entry_id, t.id as transaction_id, t.kind, t.subject, t.owner as app_id, t.source as processor_object, t.said_at, t.recorded_at,
  d.kind as debit, c.kind as credit, coalesce(d.holder, c.holder) as payout_account, e.currency, e.amount
from ledger_entries e
join ledger_transactions t on t.id = e.transaction_id
join ledger_accounts d on d.id = e.debit_id
join ledger_accounts c on c.id = e.credit_id;
comment on view ops.ledger_entries is
  'The entries of the ledger: an amount in the currency''s smallest unit, from the credited to the debited account, of a payment or payout '
  '(subject), by the processor''s time (said_at) and ours.';
