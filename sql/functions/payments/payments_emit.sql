-- Deferred to the end of the transaction: then the app's event log is the last lock, after the lanes of what ends with it.
create constraint trigger payments_emit after update of status on payments
  deferrable initially deferred
  for each row when (new.status = 'failed' and old.status <> 'failed') execute function emit_failed_checkout();
