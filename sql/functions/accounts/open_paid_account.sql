-- Creates the one account of a paid payment, and requests its subaccount unless the money was already returned. False if the account
-- exists. The caller holds the payment.
create or replace function open_paid_account(of_payment text, new_id text, new_intent uuid, deadline_s double precision) returns boolean
language plpgsql as $$
declare
  p payments;
begin
  select * into strict p from payments where id = of_payment;
  insert into prop_accounts (
    id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status, failure_reason, intent_id
  )
  values (new_id, p.owner, p.user_id, p.tier_id, p.id, p.market, p.asset_class, p.account_size,
    case when p.stopped_for is null then 'provisioning' else 'eliminated' end, p.stopped_for,
    case when p.stopped_for is null then new_intent end)
  on conflict (payment_id) do nothing;
  if not found then
    return false;
  end if;
  if p.stopped_for is null then
    perform ask_for_subaccount(new_id, new_intent, deadline_s);
  end if;
  return true;
end $$;
