-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger refunds_emit after insert on ledger_transactions
  deferrable initially deferred
  for each row when (new.kind = 'refund') execute function emit_refund();
