-- Stores a payout, unless there is an obstacle: then its code (payout_obstacle, or V2_SESSION_INVALID if `in_session` has ended meanwhile) is the
-- result. Locks the session, the payment, then the account.
create or replace function request_payout(
  new_id text, account text, to_account text, cents integer, of_currency text, earned_cents bigint, in_session text default null
) returns text
language plpgsql as $$
declare
  obstacle text;
begin
  if in_session is not null and not lock_live_session(in_session) then
    return 'V2_SESSION_INVALID';
  end if;
  perform lock_payment_of(account);
  perform from prop_accounts where id = account for no key update;
  obstacle := payout_obstacle(account, to_account, cents, earned_cents);
  if obstacle is not null then
    return obstacle;
  end if;
  insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency, made_in_session)
  select new_id, a.owner, a.user_id, account, to_account, cents, of_currency, in_session
  from prop_accounts a
  where a.id = account;
  perform reserve_earnings(p, cents) from payouts p where p.id = new_id;
  return null;
end $$;
