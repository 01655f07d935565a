-- Gives a slot that has just been freed to the next intent that waits for one. While requests have lent their slots, at most one is handed out, and
-- only if so many requests are proven (see slots_to_assign). `responded_at`: a response that was here before the one to the look-up of the newest
-- proof, and is recorded only now, takes one off that (lower_proof): its request was counted as being there until after the look-up. Takes the
-- line's lock (see claim_slot), shared.
create or replace function hand_on_slot(at_upstream text, for_s double precision, responded_at timestamptz default null) returns void
language plpgsql as $$
declare
  spare integer;
begin
  perform lower_proof(at_upstream, responded_at);
  if not exists (select from intents w where w.waits_at = at_upstream) then
    return;
  end if;
  spare := slots_to_assign(at_upstream); -- null: all
  perform assign_slots(at_upstream, for_s, null, case when spare > 1 then 1 else spare end);
end $$;
