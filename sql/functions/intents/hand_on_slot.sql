-- Gives a slot that has just been freed to the next intent that waits for one. While requests have lent their slots, at most one is handed out, and
-- only if so many requests are proven (see slots_to_assign). Takes the line's lock (see claim_slot), shared.
create or replace function hand_on_slot(at_upstream text, for_s double precision) returns void
language plpgsql as $$
declare
  spare integer;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('slots ' || at_upstream, 0));
  if not exists (select from intents w where w.waits_at = at_upstream) then
    return;
  end if;
  spare := slots_to_assign(at_upstream); -- null: all
  perform assign_slots(at_upstream, for_s, null, case when spare > 1 then 1 else spare end);
end $$;
