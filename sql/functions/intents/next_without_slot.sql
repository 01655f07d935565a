-- The intent that gets the next free slot of an upstream, of the exits or of the others that wait: of the owner whose requests hold the fewest
-- slots there, the one accepted first. So an owner with many waiting takes what the others leave, and no more while they want it. `in_share`: only
-- of owners who hold less than half of the slots. Locks the intent; one that is locked, or has got a slot, expired or left the line since it was
-- read, is passed over. That is seen on the locked row, found by its id only: a join of the line with the intents that are queued may be planned
-- the other way round, and then reads the line once for each that waits.
create or replace function next_without_slot(at_upstream text, exits boolean, in_share boolean) returns table (id uuid, kind text)
language plpgsql as $$
#variable_conflict use_column
declare
  candidate uuid;
  holders constant uuid[] := slot_holders(at_upstream);
  waiting record;
begin
  for candidate in
    with recursive owners as (
      (
        select i.owner
        from intents i
        where i.waits_at = at_upstream and i.is_exit = exits
        order by i.owner
        limit 1
      )
      union all
      select (
        select i.owner
        from intents i
        where i.waits_at = at_upstream and i.is_exit = exits and i.owner > o.owner
        order by i.owner
        limit 1
      )
      from owners o
      where o.owner is not null
    ), held as (
      select h.owner, count(*) as slots
      from upstream_slots u
      cross join lateral (
        select b.owner
        from intents b
        where b.id = u.intent_id
        limit 1
      ) h
      where u.upstream = at_upstream and u.held_until > now() and not u.is_lent
      group by h.owner
    )
    select first.id
    from owners o
    left join held h on h.owner = o.owner
    cross join lateral (
      select w.id, w.position
      from intents w
      where w.waits_at = at_upstream and w.is_exit = exits and w.owner = o.owner and w.id <> all(holders)
      order by w.position
      limit 4
    ) first
    where o.owner is not null and (not in_share or coalesce(2 * h.slots, 0) < (
      select count(*) from upstream_slots u where u.upstream = at_upstream and not u.is_lent
    ))
    order by coalesce(h.slots, 0), first.position
  loop
    select i.id, i.kind, i.state, i.upstream into waiting
    from intents i
    where i.id = candidate
    for update skip locked;
    if found and waiting.state = 'queued' and waiting.upstream = at_upstream
      and not exists (select from upstream_slots s where s.upstream = at_upstream and s.intent_id = candidate)
    then
      return query select waiting.id, waiting.kind;
      return;
    end if;
  end loop;
end $$;
