-- Stores a payout if it is within what the account has earned and not been paid yet. False if it is not.
create or replace function request_payout(
  new_id text, account text, to_account text, cents integer, of_currency text, earned_cents bigint
) returns boolean
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into strict a from prop_accounts where id = account for update;
  if cents > earned_cents - (select coalesce(sum(p.amount_cents), 0) from payouts p where p.prop_account_id = account and p.returned_at is null) then
    return false;
  end if;
  insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
  values (new_id, a.owner, a.user_id, account, to_account, cents, of_currency);
  return true;
end $$;
