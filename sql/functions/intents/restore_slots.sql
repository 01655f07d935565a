-- Makes the slots of an upstream again of which PostgreSQL has kept none (see restore_unlogged), or that has none yet: those are held whose intents
-- were sent less than `for_s` ago, or may still be there for a reason of mark_in_doubt, though they have ended since. More than there are slots count
-- as those that have lent theirs. claim_slot adds the free ones. Its caller holds the lock of the line.
create or replace function restore_slots(at_upstream text, slots integer, for_s double precision, for_exits integer) returns void
language sql as $$
  insert into upstream_slots (upstream, slot, for_exits, intent_id, hold_s, held_until, is_lent)
  select at_upstream, case when h.n <= slots then slots + 1 - h.n else h.n end, h.n <= slots and slots + 1 - h.n <= restore_slots.for_exits,
    h.id, for_s, h.held_until, h.n > slots
  from (
    select s.id, s.held_until, row_number() over (order by s.held_until desc) as n
    from (
      select i.id, i.upstream, i.sending_at, coalesce(i.reached_at, i.sending_at) + make_interval(secs => for_s) as held_until
      from intents i
      where (i.phase = 'pending' or i.phase = 'in_doubt')
      union all
      select i.id, i.upstream, i.sending_at, coalesce(i.reached_at, i.sending_at) + make_interval(secs => for_s)
      from intent_kinds k
      join intents i on i.kind = k.kind and i.settled_at > now() - make_interval(secs => for_s)
      where i.reconcile_attempts > 0
    ) s
    where s.upstream = at_upstream and s.sending_at is not null and s.held_until > now()
  ) h
$$;
