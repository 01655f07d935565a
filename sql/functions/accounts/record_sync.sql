-- Stores the network's state of an account, and changes its status if it has not changed meanwhile. `broken`: the rule that it broke, with its
-- figures. Also stores the subaccount's uuid, by which its earnings are read, if it was not known.
create or replace function record_sync(
  account text, from_status text, to_status text, reason text, shown_status text, shown_bucket text, broken jsonb default null,
  shown_uuid text default null
) returns void
language plpgsql as $$
begin
  update prop_accounts
  set upstream_status = shown_status, upstream_bucket = shown_bucket, synced_at = now(),
    breach = case when status = from_status then coalesce(broken, breach) else breach end
  where id = account;
  update subaccounts s
  set status = shown_status, subaccount_uuid = coalesce(s.subaccount_uuid, shown_uuid)
  from prop_accounts a
  where a.id = account and s.synthetic_hotkey = a.synthetic_hotkey
    and (s.status <> shown_status or (s.subaccount_uuid is null and shown_uuid is not null));
  if to_status <> from_status then
    perform move_prop_account(account, from_status, to_status, reason);
  end if;
end $$;
