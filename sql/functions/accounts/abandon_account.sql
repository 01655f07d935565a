-- Removes a failed account from the lists permanently; a paid one only once nothing of its money is kept. Locks the payment, then
-- the account.
-- Verdicts: done | unknown | not_failed | abandoned | owes.
create or replace function abandon_account(account text, by_operator text, because text, noted jsonb default '{}') returns text
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
  elsif exists (
    select
    from payments p
    cross join lateral payment_money(p) m
    where p.id = a.payment_id and (m.held_cents > 0 or refund_state(p.id) in ('under_way', 'unknown'))
  ) then
    return 'owes';
  end if;
  update prop_accounts
  set abandoned_at = now(), abandoned_by = by_operator, abandoned_why = because
  where id = account;
  perform record_action(by_operator, 'abandon', null, a.payment_id, account, because,
    noted || jsonb_build_object('verdict', 'done'));
  return 'done';
end $$;
