-- Whether there is such an upstream, partner or app.
create or replace function can_be_paused(subject text) returns boolean
language sql stable as $$
  select exists (
    select from intent_kinds k where k.upstream = subject
    union all
    select from partners p where p.id = subject
    union all
    select from apps a where a.id = subject
  )
$$;
