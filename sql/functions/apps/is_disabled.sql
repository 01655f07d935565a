-- Whether an app or a partner is disabled. It then receives nothing: no delivery, no stream, and no mail in its name.
create or replace function is_disabled(owner text) returns boolean
language sql stable as $$
  select exists (select from apps a where a.id = owner and a.disabled_at is not null)
    or exists (select from partners p where p.id = owner and p.disabled_at is not null)
$$;
