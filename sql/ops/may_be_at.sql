-- Internal to the kit: whether a subaccount of this owner may be at this entity: its own, if it is an app with one, else one that is no other app's.
create or replace function ops.may_be_at(entity text, owner text) returns boolean
language sql stable as $$
  select coalesce(
    (select a.entity_hotkey = entity from apps a where a.id = owner and a.network_key is not null),
    not exists (select from apps a where a.entity_hotkey = entity and a.id <> owner)
  )
$$;
comment on function ops.may_be_at is 'Internal to the kit.';
