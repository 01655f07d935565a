-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger agreement_signatures_emit after insert on agreement_signatures
  deferrable initially deferred
  for each row execute function emit_signature();
