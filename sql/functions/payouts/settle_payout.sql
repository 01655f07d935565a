-- Writes the state of a payout that follows from its steps and from how much of its transfer was reversed, and what it takes of the earnings. A
-- delayed payout stays so until its step has an effect or fails; one that has ended waits for nothing. A step of unknown effect counts as under way
-- until it is resolved: neither done nor failed. A payout that the bank has is done, whatever happened to a later one, and has failed if the bank
-- returns it and the later one was not sent. A payout whose reversal failed while it waited has failed too, since nothing requests it again. The
-- caller holds the payout; payouts_emit emits.
create or replace function settle_payout(payout text) returns void
language plpgsql as $$
declare
  p payouts;
  transfer payout_steps;
  bank payout_steps;
  m record;
  is_open boolean;
  is_delayed boolean;
begin
  select * into strict p from payouts where id = payout;
  select * into m from payout_money(p);
  select * into transfer from payout_steps s where s.payout_id = payout and s.step = 'transfer' order by s.position desc limit 1;
  select * into bank
  from payout_steps s
  where s.payout_id = payout and s.step = 'payout'
  order by s.state = 'done' desc, s.state = 'unsent' and p.status in ('completed', 'failed') and p.pay_after is null, s.position desc
  limit 1;
  p.status := case
    when p.canceled_at is not null then 'canceled'
    when transfer.state = 'unsent' and p.pay_after is not null then 'submitted'
    when transfer.state is null or transfer.state = 'unsent' then 'pending'
    when transfer.state in ('under_way', 'unknown') then 'submitted'
    when transfer.state = 'failed' then 'failed'
    when m.reversed_cents >= m.transferred_cents then 'reversed'
    when bank.state = 'done' then 'completed'
    when bank.state = 'failed' or exists (
      select from payout_steps s where s.payout_id = payout and s.step = 'reversal' and s.state = 'failed' and s.position > bank.position
    ) then 'failed'
    else 'transferred'
  end;
  is_open := p.status in ('submitted', 'transferred');
  is_delayed := is_open and coalesce(bank.state, transfer.state) in ('under_way', 'unsent');
  p.failure_reason := case
    when p.status in ('pending', 'submitted', 'transferred', 'completed', 'canceled') and m.reversed_cents = 0 then null
    when p.status = 'failed' then coalesce(bank.failure_reason, transfer.failure_reason)
    else 'transfer_reversed'
  end;
  perform reserve_earnings(p, case
    when p.status = 'canceled' or transfer.state = 'failed' then 0
    when transfer.state = 'done' then m.transferred_cents - m.reversed_cents
    else p.amount_cents
  end);
  update payouts
  set status = p.status, failure_reason = p.failure_reason,
    submitted_at = case when p.status = 'canceled' then submitted_at when p.status <> 'pending' then coalesce(submitted_at, now()) end,
    completed_at = case when p.status = 'completed' then coalesce(completed_at, now()) else completed_at end,
    pay_after = case when is_open then pay_after end,
    delayed_for = case when is_delayed then delayed_for end,
    delayed_since = case when is_delayed then delayed_since end,
    emitted_failure = case when p.status = 'failed' then p.failure_reason when p.status <> 'completed' then emitted_failure end
  where id = payout;
end $$;
