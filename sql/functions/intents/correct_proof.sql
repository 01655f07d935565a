-- Corrects what a look-up has proven of an upstream (see release_by_proof) by a response that was here before the one to the look-up, and is recorded
-- only now: its request was counted as being there until after the look-up, so the thread that was found free may have been its own. Null: the time
-- of the response is unknown. Locks the upstream's proof if it changes it.
create or replace function correct_proof(at_upstream text, responded_at timestamptz) returns void
language sql as $$
  update upstream_proofs p
  set proven = greatest(0, p.proven - 1)
  where p.upstream = at_upstream and p.answered_at > responded_at
$$;
