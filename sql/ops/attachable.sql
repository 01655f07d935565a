-- A subaccount as an operator names it, for one that is to be attached for an owner: what is known of it, and why it cannot be, if so: malformed |
-- other_entity (not the own one of an app that has one, or another app's) | not_given (no subaccount of the entity with this or a later number is
-- known here: an unassigned number would become somebody else's).
create or replace function ops.attachable(hotkey text, for_owner text, out obstacle text, out made jsonb)
language sql stable as $$
  select
    case
      when n.name is null then 'malformed'
      when not coalesce(
        (select a.entity_hotkey = n.name[1] from apps a where a.id = for_owner and a.network_key is not null),
        not exists (select from apps a where a.entity_hotkey = n.name[1] and a.id <> for_owner)
      ) then 'other_entity'
      when not exists (select from subaccounts s where s.entity_hotkey = n.name[1] and s.subaccount_id >= n.name[2]::integer) then 'not_given'
    end,
    jsonb_build_object('synthetic_hotkey', hotkey, 'entity_hotkey', n.name[1], 'subaccount_id', n.name[2]::integer, 'status', 'pending')
  from (values (regexp_match(hotkey, '^(.+)_(0|[1-9]\d{0,8})$'))) as n (name)
$$;
comment on function ops.attachable is 'Internal to the kit.';
