-- Gives the free slots of an upstream to the intents that wait for one, to exits first, then in order of acceptance, and queues their jobs. An
-- entry takes no slot that is kept for exits. The caller holds the line's lock (see claim_slot). `asking` is being executed and needs no job. Locks
-- the intents and the slots it finds unlocked.
create or replace function assign_slots(at_upstream text, for_s double precision, asking uuid) returns void
language plpgsql as $$
declare
  free record;
  waiting record;
begin
  loop
    select i.id, i.kind, i.is_exit into waiting
    from intents i
    where i.upstream = at_upstream and i.state = 'queued'
      and not exists (select from upstream_slots h where h.intent_id = i.id)
    order by i.is_exit desc, i.position
    limit 1
    for update skip locked;
    exit when not found;
    select u.slot into free
    from upstream_slots u
    where u.upstream = at_upstream and (waiting.is_exit or not u.for_exits) and (u.intent_id is null or u.held_until < now())
    order by u.slot desc
    limit 1
    for update skip locked;
    exit when not found;
    update upstream_slots
    set intent_id = waiting.id, hold_s = for_s, held_until = now() + make_interval(secs => for_s)
    where upstream = at_upstream and slot = free.slot;
    if waiting.id is distinct from asking then
      perform graphile_worker.add_jobs(array[slot_job(waiting.kind, waiting.id, now())]);
    end if;
  end loop;
end $$;
