-- Deferred to the end of the transaction: then the partner's event log is the last lock.
create constraint trigger subaccounts_emit after insert or update of status, owner on subaccounts
  deferrable initially deferred
  for each row execute function emit_subaccount();
