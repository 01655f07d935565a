-- Whether an entry that was accepted more than 2 s ago waits at an upstream while all requests there, two or more, are exits: the next slot that is
-- not kept for exits is then an entry's. So exits, also those of one trader alone, are first, and do not keep the entries of everybody else waiting
-- for as long as they last. What counts as an exit because exits of its lane wait for it is one here (see intents.is_exit).
create or replace function entries_starve(at_upstream text) returns boolean
language sql stable as $$
  select exists (
    select
    from intents w
    where w.waits_at = at_upstream and not w.is_exit and w.created_at < now() - interval '2 seconds'
  ) and (
    select count(*) >= 2 and bool_and(i.is_exit)
    from upstream_slots u
    cross join lateral (
      select h.is_exit, h.state
      from intents h
      where h.id = u.intent_id
      limit 1
    ) i
    where u.upstream = at_upstream and u.held_until > now() and not u.is_lent and i.state in ('queued', 'running')
  )
$$;
