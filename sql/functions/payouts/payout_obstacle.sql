-- Why nothing may be paid out of an account to a payout account now; null if it may. Checked by a request, by each submission, and by the worker
-- right before it sends. Codes: V2_PAYMENT_RETURNED | V2_ACCOUNT_NOT_FUNDED | V2_KYC_REQUIRED | V2_PAYOUT_ACCOUNT_NOT_READY | V2_PAYOUT_UNDER_REVIEW
-- (an unreadable event about the payout account is open) | V2_PAYOUT_EXCEEDS_EARNINGS | V2_PAYOUT_DESTINATION_HELD (of a payout to send: the
-- destination is younger than `hold_h` hours). `cents` null: the money has already left the platform, so neither the amount nor the ability to
-- receive transfers is checked. `besides`: the payout that the amount belongs to.
create or replace function payout_obstacle(
  account text, to_account text, cents bigint, earned_cents bigint, besides text default null, hold_h integer default 0
) returns text
language sql stable as $$
  select case
    when p.stopped_for is not null or p.status <> 'succeeded' then 'V2_PAYMENT_RETURNED'
    when a.status <> 'funded' then 'V2_ACCOUNT_NOT_FUNDED'
    when k.status is distinct from 'verified' then 'V2_KYC_REQUIRED'
    when c.id is null or not c.payouts_enabled or c.detached_at is not null or (cents is not null and not c.transfers_enabled)
    then 'V2_PAYOUT_ACCOUNT_NOT_READY'
    when exists (
      select
      from processor_events e
      where e.outcome = 'unreadable' and e.closed_at is null and e.object_id in (
        select c.processor_account_id
        union all
        select s.processor_id
        from payout_steps s
        join payouts o on o.id = s.payout_id
        where o.connect_account_id = to_account and o.user_id = a.user_id
      )
    ) then 'V2_PAYOUT_UNDER_REVIEW'
    when cents > earned_cents - reserved_cents_of(array[account], besides) then 'V2_PAYOUT_EXCEEDS_EARNINGS'
    when besides is not null and c.destination_at > now() - make_interval(hours => hold_h) then 'V2_PAYOUT_DESTINATION_HELD'
  end
  from prop_accounts a
  left join payments p on p.id = a.payment_id
  left join kyc_cases k on k.user_id = a.user_id
  left join connect_accounts c on c.id = to_account and c.user_id = a.user_id
  where a.id = account
$$;
