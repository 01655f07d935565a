-- Assigns to a failed account a subaccount that exists at the network and has no owner. Locks the payment, then the account. Verdicts:
-- done | unknown | not_failed | abandoned | returned (its money) | open | taken.
create or replace function attach_subaccount(
  account text, by_operator text, made jsonb, because text, noted jsonb default '{}'
) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  perform lock_payment_of(account);
  select * into a from prop_accounts where id = account for no key update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'subaccount_failed' or a.synthetic_hotkey is not null then
    return 'not_failed';
  elsif a.abandoned_at is not null then
    return 'abandoned';
  elsif not has_its_money(a.payment_id) then
    return 'returned';
  elsif exists (select from intents i where i.id = a.intent_id and i.settled_at is null) then
    return 'open';
  end if;
  insert into subaccounts (
    synthetic_hotkey, entity_hotkey, subaccount_id, subaccount_uuid, owner, intent_id, asset_class, account_size, status
  )
  select m.synthetic_hotkey, m.entity_hotkey, m.subaccount_id, m.subaccount_uuid, a.owner,
    coalesce(a.intent_id, gen_random_uuid()), m.asset_class, m.account_size, m.status
  from jsonb_populate_record(null::subaccounts, made) m
  on conflict do nothing;
  if not found then
    return 'taken';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, synthetic_hotkey = made ->> 'synthetic_hotkey',
    upstream_status = made ->> 'status', status_at = now(), sync_after = now()
  where id = account;
  perform plan_sync(account, 0);
  perform emit_account_moved(account);
  perform record_action(by_operator, 'attach', null, a.payment_id, account, because,
    noted || jsonb_build_object('verdict', 'done', 'synthetic_hotkey', made ->> 'synthetic_hotkey'));
  return 'done';
end $$;
