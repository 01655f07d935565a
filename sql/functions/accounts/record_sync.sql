-- Stores the network's state of an account, and changes its status if it has not changed meanwhile. `broken`: the rule that it broke, with its
-- figures. Also stores the subaccount's uuid, by which its earnings are read, if it was not known. `shown_ms`: the network's time of the state, if it
-- says one. A state that is older than the newest one changes nothing, unless that was synced long ago: the network's clock may have been set back.
create or replace function record_sync(
  account text, from_status text, to_status text, reason text, shown_status text, shown_bucket text, broken jsonb default null,
  shown_uuid text default null, shown_ms double precision default null
) returns void
language plpgsql as $$
begin
  update prop_accounts
  set upstream_status = shown_status, upstream_bucket = shown_bucket, synced_at = now(),
    breach = case when status = from_status then coalesce(broken, breach) else breach end,
    shown_at = case when shown_ms is null then shown_at else least(to_timestamp(shown_ms / 1000), now()) end
  where id = account
    and (shown_ms is null or shown_at is null or shown_at <= to_timestamp(shown_ms / 1000) or synced_at < now() - interval '10 minutes');
  if not found then
    return;
  end if;
  update subaccounts s
  set status = shown_status, subaccount_uuid = coalesce(s.subaccount_uuid, shown_uuid)
  from prop_accounts a
  where a.id = account and s.synthetic_hotkey = a.synthetic_hotkey
    and (s.status <> shown_status or (s.subaccount_uuid is null and shown_uuid is not null));
  if to_status <> from_status then
    perform pg_notify('traded', a.synthetic_hotkey) -- who reads after the event must not read what was cached before
    from prop_accounts a
    where a.id = account and a.synthetic_hotkey is not null;
    perform move_prop_account(account, from_status, to_status, reason);
  end if;
end $$;
