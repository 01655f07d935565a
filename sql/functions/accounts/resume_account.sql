-- Puts a stopped account back to `provisioning`: its subaccount is compared with the network, or requested if none was. The caller holds the
-- account and notifies.
create or replace function resume_account(account text) returns void
language plpgsql as $$
declare
  a prop_accounts;
  new_intent uuid;
begin
  select * into strict a from prop_accounts where id = account;
  if a.synthetic_hotkey is null and not exists (select from intents i where i.id = a.intent_id and i.settled_at is null) then
    new_intent := gen_random_uuid();
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, status_at = now(), sync_after = now(), intent_id = coalesce(new_intent, intent_id)
  where id = account;
  if new_intent is not null then
    perform ask_for_subaccount(account, new_intent, 3600, a.intent_id);
  elsif a.synthetic_hotkey is not null then
    perform plan_sync(account, 0);
  end if;
end $$;
