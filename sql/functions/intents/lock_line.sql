-- Locks the line of an upstream alone (see claim_slot), until the end of the transaction. Whoever begins to send locks it so, also to give a slot
-- back: two batches that share it and then want it alone would wait for each other.
create or replace function lock_line(at_upstream text) returns void
language sql as $$
  select pg_advisory_xact_lock(hashtextextended('slots ' || at_upstream, 0))
$$;
