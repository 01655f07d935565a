-- Records that all of a request has left, for proofs (see release_by_proof). False, and no effect, if the claim is lost or it has ended. Locks the
-- intent.
create or replace function note_left(intent uuid, held_fence integer) returns boolean
language plpgsql as $$
begin
  update intents
  set left_at = clock_timestamp()
  where id = intent and fence = held_fence and sending_at is not null and settled_at is null;
  return found;
end $$;
