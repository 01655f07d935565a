-- Takes one of the slots of an upstream for an intent that is about to be sent, for `for_s` seconds unless it is released earlier. False: all that it
-- may take are held, and the intent has joined the line. `exits`: it is an exit, or exits wait for it. The first `for_exits` slots are only for
-- those. Free slots go to waiting intents first: to exits, then in order of acceptance. While requests have lent their slots (see release_by_proof),
-- a free one is taken only through the line, and only if so many requests are proven (see slots_to_assign); else the next proof or response hands it
-- out. A newcomer that joins holds the line's lock alone; freeing a slot reads the line under the same lock, shared. So no slot stays free while an
-- intent waits that may take it. The caller holds the intent: executed twice at once, it must not take two. Locks the slot; a newcomer that does not
-- get one at once: the line, then the slots it hands out. Where there are fewer slots than before, what holds one too many has none any more: it
-- counts as one that has lent its own, so the next one is handed out when so many have ended, however many wait.
create or replace function claim_slot(intent uuid, at_upstream text, slots integer, for_s double precision, for_exits integer, exits boolean)
returns boolean
language plpgsql as $$
begin
  update upstream_slots
  set held_until = now() + make_interval(secs => for_s)
  where intent_id = intent and upstream = at_upstream and not is_lent;
  if found then
    return true; -- handed over while it waited
  end if;
  if take_free_slot(intent, at_upstream, slots, for_s, exits) is not null then
    return true;
  end if;
  perform lock_line(at_upstream);
  if not exists (select from upstream_slots u where u.upstream = at_upstream) then
    perform restore_slots(at_upstream, slots, for_s, for_exits);
  end if;
  delete from upstream_slots u
  where u.upstream = at_upstream and u.slot in (
    select f.slot
    from upstream_slots f
    where f.upstream = at_upstream and f.slot > slots and (f.intent_id is null or f.held_until < now())
    for update skip locked
  );
  update upstream_slots u
  set for_exits = u.slot <= claim_slot.for_exits, is_lent = u.slot > slots
  where u.upstream = at_upstream and u.slot in (
    select f.slot
    from upstream_slots f
    where f.upstream = at_upstream and (f.for_exits <> (f.slot <= claim_slot.for_exits) or f.is_lent <> (f.slot > slots))
    for update skip locked
  );
  if found then
    update upstream_proofs p set proven = 0 where p.upstream = at_upstream;
  end if;
  -- not by on conflict, which would wait for a slot that is being freed
  insert into upstream_slots (upstream, slot, for_exits)
  select at_upstream, n, n <= claim_slot.for_exits
  from generate_series(1, slots) n
  where not exists (select from upstream_slots u where u.upstream = at_upstream and u.slot = n);
  update intents set upstream = at_upstream, pace = null, state = 'queued', is_exit = exits where id = intent;
  perform assign_slots(at_upstream, for_s, intent, slots_to_assign(at_upstream));
  if exists (select from upstream_slots u where u.upstream = at_upstream and u.intent_id = intent) then
    return true;
  end if;
  perform hurry_doubts(at_upstream);
  return false;
end $$;
