-- Frees the slot of a request in doubt for another one, and returns it: it lends it, and counts as one that may still be at the upstream until its
-- hold is over. No row: no slot that exits, or others, may take is held by one in doubt, or another transaction lends one. Locks the slot.
create or replace function lend_slot(at_upstream text, to_exit boolean) returns table (slot integer, for_exits boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  lent record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('lent slots ' || at_upstream, 0)) then
    return;
  end if;
  select h.slot, h.for_exits, h.intent_id, h.hold_s, h.held_until into lent
  from upstream_slots h
  cross join lateral (
    select i.state
    from intents i
    where i.id = h.intent_id
    limit 1
  ) o
  where h.upstream = at_upstream and not h.is_lent and (to_exit or not h.for_exits) and o.state not in ('queued', 'running')
  order by h.held_until
  limit 1
  for update of h skip locked;
  if not found then
    return;
  end if;
  update upstream_slots u
  set intent_id = null, held_until = null
  where u.upstream = at_upstream and u.slot = lent.slot;
  insert into upstream_slots (upstream, slot, intent_id, hold_s, held_until, is_lent)
  select at_upstream, max(u.slot) + 1, lent.intent_id, lent.hold_s, lent.held_until, true
  from upstream_slots u
  where u.upstream = at_upstream;
  return query select lent.slot, lent.for_exits;
end $$;
