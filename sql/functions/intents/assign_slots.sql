-- Gives free slots of an upstream to the intents that wait for one, each time to the owner with the fewest (see next_without_slot), and queues
-- their jobs: all that are free, or at most `most`, by proof, also slots that requests in doubt lend. Exits come first, but those of an owner who
-- holds half of the slots after the entries of others, and all of them after an entry if they use all others (entries_starve): see decision 091. An
-- entry takes no slot that is kept for exits. The caller holds the line's lock (see claim_slot). `asking` is being executed and needs no job, as
-- any other that a worker has: a second job would be taken for the end of that worker. Locks a slot, then the intent that gets it, those that it
-- finds unlocked: so an intent is locked only by who has a slot for it.
create or replace function assign_slots(at_upstream text, for_s double precision, asking uuid, most integer default null) returns void
language plpgsql as $$
declare
  exit_waits boolean;
  exits_first boolean;
  holders uuid[];
  free record;
  choice record;
  waiting record;
begin
  for n in 1 .. coalesce(most, 2147483647) loop
    exit when most is null and not exists (
      select from upstream_slots u where u.upstream = at_upstream and (u.intent_id is null or u.held_until < now()) and not u.is_lent
    );
    holders := slot_holders(at_upstream);
    select i.is_exit into exit_waits
    from intents i
    where i.waits_at = at_upstream and i.id <> all(holders)
    order by i.is_exit desc, i.position
    limit 1;
    exit when not found;
    exits_first := exit_waits and not entries_starve(at_upstream);
    select u.slot, u.for_exits into free
    from upstream_slots u
    where u.upstream = at_upstream and (exit_waits or not u.for_exits) and (u.intent_id is null or u.held_until < now()) and not u.is_lent
    order by u.for_exits, u.slot desc
    limit 1
    for update skip locked;
    if not found and most is not null then
      select l.slot, l.for_exits into free from lend_slot(at_upstream, exits_first) l;
      if not found and exit_waits then
        select l.slot, l.for_exits into free from lend_slot(at_upstream, true) l;
      end if;
    end if;
    exit when not found;
    for choice in
      select l.exits, l.in_share
      from (values (1, true, true), (2, false, true), (3, true, false), (4, false, false)) as l (n, exits, in_share)
      where exit_waits and (l.exits or not free.for_exits) or not (exit_waits or l.exits or l.in_share)
      order by l.exits and not exits_first, l.n
    loop
      select n.id, n.kind, choice.exits as is_exit into waiting from next_without_slot(at_upstream, choice.exits, choice.in_share) n;
      exit when found;
    end loop;
    exit when waiting.id is null;
    update upstream_slots
    set intent_id = waiting.id, hold_s = for_s, held_until = now() + make_interval(secs => for_s)
    where upstream = at_upstream and slot = free.slot;
    if waiting.id is distinct from asking
      and not exists (select from queue_jobs j where j.key = 'slot ' || waiting.id and j.locked_at is not null)
    then
      perform enqueue(array[slot_job(waiting.kind, waiting.id, waiting.is_exit, now())]);
    end if;
  end loop;
end $$;
