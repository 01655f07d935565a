-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger prop_accounts_emit after insert or update of status, failure_reason on prop_accounts
  deferrable initially deferred
  for each row execute function emit_account();
