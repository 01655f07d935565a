-- Takes one off what look-ups have proven of an upstream (see release_by_proof): a request that was counted as being there may use the thread that
-- was found free. With `since` only if the newest of these look-ups was responded to after it; null: nothing is taken off. Takes the line's lock
-- (see claim_slot), shared, until the transaction ends, so that no proof counts the request meanwhile by what it was before.
create or replace function lower_proof(at_upstream text, since timestamptz default '-infinity') returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('slots ' || at_upstream, 0));
  update upstream_proofs p
  set proven = greatest(0, p.proven - 1)
  where p.upstream = at_upstream and p.answered_at > since;
end $$;
