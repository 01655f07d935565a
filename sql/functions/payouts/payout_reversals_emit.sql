-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger payout_reversals_emit after insert on ledger_transactions
  deferrable initially deferred
  for each row when (new.kind = 'transfer') execute function emit_payout_reversal();
