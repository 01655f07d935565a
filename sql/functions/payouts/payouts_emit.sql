-- Deferred to the end of the transaction: then the app's event log is the last lock, after the lanes of what ends with it.
create constraint trigger payouts_emit after update on payouts
  deferrable initially deferred
  for each row when (
    new.status = 'completed' and old.status <> 'completed'
    or new.status = 'failed' and new.emitted_failure is distinct from old.emitted_failure
  ) execute function emit_payout();
