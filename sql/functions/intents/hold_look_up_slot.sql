-- Holds a slot that claim_look_up_slot granted for `for_s` seconds from now on. False: the lease is over, or a crash of PostgreSQL has forgotten it.
-- Locks the slot.
create or replace function hold_look_up_slot(at_upstream text, lease uuid, for_s double precision) returns boolean
language plpgsql as $$
begin
  update upstream_slots
  set held_until = clock_timestamp() + make_interval(secs => for_s)
  where upstream = at_upstream and intent_id = lease and held_until > clock_timestamp();
  return found;
end $$;
