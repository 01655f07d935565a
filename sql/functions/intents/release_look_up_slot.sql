-- Releases a slot that claim_look_up_slot granted; no effect if the lease is over. Locks the slot.
create or replace function release_look_up_slot(at_upstream text, lease uuid) returns void
language plpgsql as $$
begin
  update upstream_slots set intent_id = null, held_until = null where upstream = at_upstream and intent_id = lease;
end $$;
