-- How many free slots of an upstream may be handed out without a further proof. Null, which means all of them, while none is lent (see
-- release_by_proof). Else there may be as many requests, besides those in doubt, as these leave slots or as were proven, whichever is more. A proof
-- stays valid, because requests in doubt only become fewer. The intents are found one by one by their ids, see settle_intent.
create or replace function slots_to_assign(at_upstream text) returns integer
language sql stable as $$
  select case when has_lent_slots(at_upstream) then (
    select (
      greatest(
        count(*) filter (where not u.is_lent) - count(*) filter (where u.held_until > now() and (u.is_lent or i.state not in ('queued', 'running'))),
        (select p.proven from upstream_proofs p where p.upstream = at_upstream)
      ) - count(*) filter (where u.held_until > now() and not u.is_lent and i.state in ('queued', 'running'))
    )::integer
    from upstream_slots u
    left join lateral (
      select h.state
      from intents h
      where h.id = u.intent_id
      limit 1
    ) i on true
    where u.upstream = at_upstream
  ) end
$$;
