create or replace view ops.ledger_differences as
select *
from ops.list_ledger_differences();
comment on view ops.ledger_differences is
  'Where the ledger (posted) and the processor (shown) differ, in smallest units, at a payout account or in the platform''s balance of a payment '
  'or payout, with the safe action. Normally empty.';
