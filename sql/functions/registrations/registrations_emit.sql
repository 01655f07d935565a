-- Deferred to the end of the transaction: then the partner's event log is the last lock.
create constraint trigger registrations_emit after insert or update of status, tx_hash, message on registrations
  deferrable initially deferred
  for each row execute function emit_registration();
