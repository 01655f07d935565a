-- Records a poll: the positions that followers know from now on, and an event for each change. False if another poll was recorded in
-- between. Locks the watch, then the account's event log.
create or replace function record_watch(account text, seen_version integer, shown jsonb, changes jsonb) returns boolean
language plpgsql as $$
begin
  insert into account_watches (prop_account_id) values (account) on conflict do nothing;
  update account_watches
  set positions = coalesce(shown, positions), version = version + 1, reconciled_at = now(),
    notified_at = case when shown is null then notified_at else now() end
  where prop_account_id = account and version = seen_version;
  if not found then
    return false;
  end if;
  if changes <> '[]' then
    perform pg_notify('traded', a.synthetic_hotkey) -- who reads after the event must not read what was cached before
    from prop_accounts a
    where a.id = account;
  end if;
  perform record_account_event(account, 'position', c.change)
  from jsonb_array_elements(changes) with ordinality as c (change, n);
  return true;
end $$;
