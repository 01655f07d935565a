-- Frees the slots of an intent at an upstream for the next intents that wait. It holds more than one only if it was executed twice at once, after a
-- worker was taken for dead. While requests have lent their slots, only as many are handed out as are proven (see slots_to_assign). `responded_at`:
-- when the response to a request that was not in doubt arrived; null if unknown (see hand_on_slot). Locks the slots, then the line's lock (see
-- claim_slot), shared.
create or replace function release_slot(intent uuid, at_upstream text, responded_at timestamptz default null) returns void
language plpgsql as $$
declare
  freed record;
begin
  for freed in
    update upstream_slots u
    set intent_id = null, held_until = null
    from (
      select h.upstream, h.slot, h.hold_s
      from upstream_slots h
      where h.upstream = at_upstream and h.intent_id = intent
      for update skip locked
    ) held
    where u.upstream = held.upstream and u.slot = held.slot
    returning u.upstream, u.slot, held.hold_s
  loop
    perform hand_on_slot(freed.upstream, freed.hold_s, responded_at);
  end loop;
end $$;
