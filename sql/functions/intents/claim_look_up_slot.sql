-- Takes one of the slots for look-ups at an upstream, for `for_s` seconds unless it is released earlier. Returns the name of the lease; null
-- if all are held. A crash of PostgreSQL forgets the leases: look-ups have no effect. Waits for nobody. Locks the slot.
create or replace function claim_look_up_slot(at_upstream text, slots integer, for_s double precision) returns uuid
language plpgsql as $$
declare
  lease uuid := gen_random_uuid();
begin
  if (select count(*) from upstream_slots u where u.upstream = at_upstream and u.slot <= slots) < slots then
    insert into upstream_slots (upstream, slot)
    select at_upstream, n
    from generate_series(1, slots) n
    on conflict do nothing;
  end if;
  update upstream_slots u
  set intent_id = lease, hold_s = for_s, held_until = clock_timestamp() + make_interval(secs => for_s)
  where u.upstream = at_upstream and u.slot = (
    select f.slot
    from upstream_slots f
    where f.upstream = at_upstream and f.slot <= slots and (f.intent_id is null or f.held_until < clock_timestamp())
    order by f.slot
    limit 1
    for update skip locked
  );
  return case when found then lease end;
end $$;
