-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger payments_emit after update of refunded_cents on payments
  deferrable initially deferred
  for each row execute function emit_refund();
