-- Requests the subaccount of a failed account again. Locks the payment, then the account. Verdicts:
-- done | unknown | not_failed | abandoned | returned (its money) | unproven.
create or replace function provision_again(
  account text, by_operator text, new_intent uuid, deadline_s double precision, because text, noted jsonb default '{}'
) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  perform lock_payment_of(account);
  select * into a from prop_accounts where id = account for no key update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'subaccount_failed' then
    return 'not_failed';
  elsif a.abandoned_at is not null then
    return 'abandoned';
  elsif not has_its_money(a.payment_id) then
    return 'returned';
  elsif a.synthetic_hotkey is not null or not coalesce(is_provably_unmade(a.intent_id), a.intent_id is null) then
    return 'unproven';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, intent_id = new_intent, status_at = now()
  where id = account;
  perform ask_for_subaccount(account, new_intent, deadline_s, a.intent_id);
  perform emit_account_moved(account);
  perform record_action(by_operator, 'provision_again', null, a.payment_id, account, because,
    noted || jsonb_build_object('verdict', 'done', 'intent_id', new_intent, 'after', a.intent_id));
  return 'done';
end $$;
