-- Changes the row an intent was about when the intent ends. It is the last step of settle_intent before the lane continues. Kinds that are
-- not listed here need nothing. The caller holds the intent. Locks that row.
create or replace function follow_ending(intent uuid, of_kind text, ending text) returns void
language plpgsql as $$
begin
  if of_kind = 'registration/purchase' then
    perform follow_purchase(intent);
  elsif ending = 'succeeded' then
    return; -- the statement that settles it records its result
  elsif of_kind = 'payments/checkout' then
    perform fail_checkout(intent);
  elsif of_kind = 'payments/refund' then
    perform follow_refund(intent);
  elsif of_kind = 'accounts/provision' then
    perform fail_provisioning(intent);
  elsif of_kind in ('payouts/submit', 'payouts/pay', 'payouts/reverse') then
    perform fail_payout_step(intent);
  end if;
end $$;
