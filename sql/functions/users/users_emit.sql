-- Deferred to the end of the transaction: then the app's event log is the last lock.
create constraint trigger users_emit after update of verified_at on users
  deferrable initially deferred
  for each row execute function emit_verified();
