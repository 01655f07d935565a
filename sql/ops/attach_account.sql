create or replace function ops.attach_account(account text, hotkey text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  name text[] := regexp_match(hotkey, '^(.+)_(0|[1-9]\d{0,8})$');
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  verdict := case
    when name is null then 'malformed'
    when not ops.may_be_at(name[1], (select a.owner from prop_accounts a where a.id = account)) then 'other_entity'
    when not ops.was_given(name[1], name[2]::integer) then 'not_given'
  end;
  if verdict is null then
    verdict := attach_subaccount(account, session_user, (
      select jsonb_build_object('synthetic_hotkey', hotkey, 'entity_hotkey', name[1], 'subaccount_id', name[2]::integer,
        'asset_class', a.asset_class, 'account_size', a.account_size, 'status', 'pending')
      from prop_accounts a
      where a.id = account
    ), why, ops.given_name(who));
  end if;
  perform ops.note_rejected(account, who, 'attach', why, verdict);
  return verdict;
end $$;
comment on function ops.attach_account(text, text, text, text) is
  'Assigns the subaccount <entity>_<number> at the network to a failed account; it is tradeable once the network reports it active. Class and '
  'size are not checked here: check them first, or use the console, which does. Verdicts: done, unknown, not_failed, abandoned, returned, open, '
  'taken, malformed, other_entity (the entity is another app''s, or not its app''s own), not_given (no subaccount of the entity with this or a '
  'later number is known here, so it may not exist: use the console). Recorded in ops.actions.';
