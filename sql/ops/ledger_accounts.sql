create or replace view ops.ledger_accounts as
select a.id as account_id, a.kind as account, a.holder as payout_account, a.currency
from ledger_accounts a;
comment on view ops.ledger_accounts is 'The accounts of the ledger.';
