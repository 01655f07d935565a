-- Deferred to the end of the transaction: then the key is the new one, and the partner's event log is the last lock.
create constraint trigger enrollments_emit after insert or delete or update of payout_wallet, label, updated_at on enrollments
  deferrable initially deferred
  for each row execute function emit_enrollment();
