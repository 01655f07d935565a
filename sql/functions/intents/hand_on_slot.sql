-- Gives what has just been freed at an upstream to the next intents that wait for a slot. While requests have lent their slots, only so many are
-- handed out as are proven (see slots_to_assign). `responded_at`: a response that was here before the one to the look-up of the newest
-- proof, and is recorded only now, takes one off that (lower_proof): its request was counted as being there until after the look-up. Takes the
-- line's lock (see claim_slot), shared.
create or replace function hand_on_slot(at_upstream text, for_s double precision, responded_at timestamptz default null) returns void
language plpgsql as $$
begin
  perform lower_proof(at_upstream, responded_at);
  if exists (select from intents w where w.waits_at = at_upstream) then
    perform assign_slots(at_upstream, for_s, null, slots_to_assign(at_upstream));
  end if;
end $$;
