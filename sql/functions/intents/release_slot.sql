-- Frees the slots of an intent at an upstream for the next intents that wait. It holds more than one only if it was executed twice at once, after a worker was
-- taken for dead. While requests have lent their slots (see release_by_proof), at most one is handed out: for a request that has left the upstream now, which
-- it has unless it was in doubt, or if fewer requests may be there than there are slots. Locks the slots, then the line's lock (see claim_slot), shared.
create or replace function release_slot(intent uuid, at_upstream text) returns void
language plpgsql as $$
declare
  was_in_doubt constant boolean := coalesce((select i.reconcile_attempts > 0 from intents i where i.id = intent), false);
  freed record;
  spare integer;
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
    perform pg_advisory_xact_lock_shared(hashtextextended('slots ' || freed.upstream, 0));
    spare := slots_to_assign(freed.upstream);
    perform assign_slots(freed.upstream, freed.hold_s, null, case when spare is null then null when was_in_doubt then least(spare, 1) else 1 end);
  end loop;
end $$;
