-- Gives what has just been freed at an upstream to the next intents that wait for a slot. While requests have lent their slots, only as many are
-- handed out as are proven (see slots_to_assign). `responded_at`: when the response arrived. If that was before the response to the look-up of the
-- newest proof, the proof is lowered by one (lower_proof), because it counted the request as still being there. Takes the line's lock (see
-- claim_slot), shared.
create or replace function hand_on_slot(at_upstream text, for_s double precision, responded_at timestamptz default null) returns void
language plpgsql as $$
begin
  perform lower_proof(at_upstream, responded_at);
  if exists (select from intents w where w.waits_at = at_upstream) then
    perform assign_slots(at_upstream, for_s, null, slots_to_assign(at_upstream));
  end if;
end $$;
