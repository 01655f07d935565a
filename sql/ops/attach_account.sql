create or replace function ops.attach_account(account text, hotkey text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_rejected(account, who, 'attach', why, coalesce(n.obstacle, attach_subaccount(account, session_user, n.made || (
    select jsonb_build_object('asset_class', a.asset_class, 'account_size', a.account_size)
    from prop_accounts a
    where a.id = account
  ), why, ops.given_name(who))))
  from ops.attachable(hotkey, (select a.owner from prop_accounts a where a.id = account)) n
$$;
comment on function ops.attach_account(text, text, text, text) is
  'Assigns the subaccount <entity>_<number> at the network to a failed account; it is tradeable once the network reports it active. Class and '
  'size are not checked here: check them first, or use the console, which does. Verdicts: done, unknown, not_failed, abandoned, returned, open, '
  'taken, malformed, other_entity (the entity is another app''s, or not its app''s own), not_given (no subaccount of the entity with this or a '
  'later number is known here, so it may not exist: use the console). Recorded in ops.actions.';
