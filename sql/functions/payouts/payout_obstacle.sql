-- Why nothing may be paid out of an account to a payout account now; null if it may. Checked by a request, by each submission, and by the
-- worker right before it sends. Codes: V2_PAYMENT_RETURNED | V2_ACCOUNT_NOT_FUNDED | V2_KYC_REQUIRED | V2_PAYOUT_ACCOUNT_NOT_READY |
-- V2_PAYOUT_UNDER_REVIEW (an unreadable event about the payout account is open) | V2_PAYOUT_EXCEEDS_EARNINGS | V2_PAYOUT_DESTINATION_HELD (of a
-- payout to send: the destination is younger than `hold_h` hours). `cents` null: the money has left the platform, its amount is not checked
-- again. `besides`: the payout that the amount belongs to.
create or replace function payout_obstacle(
  account text, to_account text, cents bigint, earned_cents bigint, besides text default null, hold_h integer default 0
) returns text
language sql stable as $$
  select case
    when exists (
      select
      from payments p
      where p.id = a.payment_id and (p.stopped_for is not null or p.status <> 'succeeded')
    ) then 'V2_PAYMENT_RETURNED'
    when a.status <> 'funded' then 'V2_ACCOUNT_NOT_FUNDED'
    when not exists (
      select
      from kyc_cases k
      where k.user_id = a.user_id and k.status = 'verified'
    ) then 'V2_KYC_REQUIRED'
    when not exists (
      select
      from connect_accounts c
      where c.id = to_account and c.user_id = a.user_id and c.payouts_enabled and c.detached_at is null
    ) then 'V2_PAYOUT_ACCOUNT_NOT_READY'
    when exists (
      select
      from processor_events e
      where e.outcome = 'unreadable' and e.closed_at is null and e.object_id in (
        select c.processor_account_id
        from connect_accounts c
        where c.id = to_account
        union all
        select s.processor_id
        from payout_steps s
        join payouts p on p.id = s.payout_id
        where p.connect_account_id = to_account and p.user_id = a.user_id
      )
    ) then 'V2_PAYOUT_UNDER_REVIEW'
    when cents > earned_cents - reserved_cents_of(array[account], besides) then 'V2_PAYOUT_EXCEEDS_EARNINGS'
    when besides is not null and exists (
      select
      from connect_accounts c
      where c.id = to_account and c.destination_at > now() - make_interval(hours => hold_h)
    ) then 'V2_PAYOUT_DESTINATION_HELD'
  end
  from prop_accounts a
  where a.id = account
$$;
