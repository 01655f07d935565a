-- Takes a slot of an upstream that is free and that nobody waits for, and returns it; null if there is none. See claim_slot. Locks the slot.
create or replace function take_free_slot(intent uuid, at_upstream text, slots integer, for_s double precision, exits boolean) returns integer
language plpgsql as $$
declare
  taken integer;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('free slots ' || at_upstream, 0)); -- none is lent until this transaction ends
  if has_lent_slots(at_upstream) or exists (select from intents w where w.waits_at = at_upstream and w.is_exit >= exits) then
    return null;
  end if;
  update upstream_slots u
  set intent_id = intent, hold_s = for_s, held_until = now() + make_interval(secs => for_s)
  where u.upstream = at_upstream and u.slot = (
    select f.slot
    from upstream_slots f
    where f.upstream = at_upstream and f.slot <= slots and (exits or not f.for_exits) and (f.intent_id is null or f.held_until < now())
      and not f.is_lent
    order by f.slot desc
    limit 1
    for update skip locked
  )
  returning u.slot into taken;
  return taken;
end $$;
