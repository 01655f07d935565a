-- Internal to the kit: whether the network has already assigned this number to a subaccount of an entity: this or a later one is known here. An
-- unassigned number would become somebody else's.
create or replace function ops.was_given(entity text, number integer) returns boolean
language sql stable as $$
  select exists (select from subaccounts s where s.entity_hotkey = entity and s.subaccount_id >= number)
$$;
comment on function ops.was_given is 'Internal to the kit.';
