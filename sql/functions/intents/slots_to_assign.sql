-- How many free slots of an upstream may be handed out without a proof: null, all of them, while none is lent (see release_by_proof); else as many as keep
-- the requests that may be there below the number of slots.
create or replace function slots_to_assign(at_upstream text) returns integer
language sql stable as $$
  select case when bool_or(u.is_lent and u.held_until > now())
    then greatest(0, count(*) filter (where not u.is_lent) - count(*) filter (where u.intent_id is not null and u.held_until > now()))
  end::integer
  from upstream_slots u
  where u.upstream = at_upstream
$$;
