-- How many free slots of an upstream may be handed out without a further proof: null, all of them, while none is lent (see release_by_proof); else as many as
-- keep its requests below the slots that those in doubt leave, or below what was proven beside these, whichever is more. What was proven stays
-- so: requests in doubt only end.
create or replace function slots_to_assign(at_upstream text) returns integer
language sql stable as $$
  select case when bool_or(u.is_lent and u.held_until > now())
    then greatest(
      0,
      greatest(
        count(*) filter (where not u.is_lent) - count(*) filter (where u.held_until > now() and (u.is_lent or i.state not in ('queued', 'running'))),
        (select p.proven from upstream_proofs p where p.upstream = at_upstream)
      ) - count(*) filter (where u.held_until > now() and not u.is_lent and i.state in ('queued', 'running'))
    )
  end::integer
  from upstream_slots u
  left join intents i on i.id = u.intent_id
  where u.upstream = at_upstream
$$;
