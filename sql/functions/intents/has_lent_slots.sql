-- Whether requests that have lent their slots may still be at an upstream (see release_by_proof).
create or replace function has_lent_slots(at_upstream text) returns boolean
language sql stable as $$
  select exists (
    select
    from upstream_slots u
    where u.upstream = at_upstream and u.is_lent and u.held_until > now()
  )
$$;
