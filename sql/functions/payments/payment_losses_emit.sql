-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger payment_losses_emit after insert or update of status on payment_losses
  deferrable initially deferred
  for each row execute function emit_dispute();
