-- Internal to the kit: whether the network has given a subaccount of an entity this number: this or a later one is known here. One that it has not
-- given yet would be somebody else's as soon as it has.
create or replace function ops.was_given(entity text, number integer) returns boolean
language sql stable as $$
  select exists (select from subaccounts s where s.entity_hotkey = entity and s.subaccount_id >= number)
$$;
comment on function ops.was_given is 'Internal to the kit.';
