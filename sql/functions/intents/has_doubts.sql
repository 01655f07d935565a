-- Whether requests in doubt, or ended without a response, hold slots of an upstream or have lent them: they may still be there. Others that are sent
-- meanwhile can be distinguished from them only if it is known when they have left (see release_by_proof). The intents are found one by one by their
-- ids, see settle_intent.
create or replace function has_doubts(at_upstream text) returns boolean
language sql stable as $$
  select exists (
    select
    from upstream_slots u
    cross join lateral (
      select i.state
      from intents i
      where i.id = u.intent_id
      limit 1
    ) o
    where u.upstream = at_upstream and u.held_until > now() and (u.is_lent or o.state not in ('queued', 'running'))
  )
$$;
