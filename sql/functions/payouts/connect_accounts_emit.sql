-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger connect_accounts_emit after insert or update of payouts_enabled, transfers_enabled, details_submitted, detached_at
  on connect_accounts
  deferrable initially deferred
  for each row execute function emit_payout_account();
