-- Stores what the processor reports of a payout to the bank. Its states only go on: pending and in transit, paid, failed or cancelled; a bank
-- may return what was paid, and another payout (`back`) may take it back (reversed), unless the bank refuses that one, also after it was paid
-- (kept): then it counts no more, whatever is reported of it later. Verdicts: applied | stale | unreadable (another amount or currency: nothing is
-- written). Locks the payout, then its event log.
create or replace function note_bank_payout(
  processor_payout text, shown_status text, cents bigint, of_currency text, failure text, at timestamptz default null,
  back text default null
) returns text
language plpgsql as $$
declare
  s payout_steps;
  p payouts;
  account text;
  next_state text := case
    when shown_status in ('paid', 'kept') then 'done'
    when shown_status in ('failed', 'canceled', 'reversed') then 'failed'
    else 'sent'
  end;
begin
  select q.* into p from payouts q join payout_steps o on o.payout_id = q.id where o.processor_id = processor_payout for no key update of q;
  select * into strict s from payout_steps o where o.processor_id = processor_payout;
  if cents <> s.amount_cents or of_currency <> s.currency then
    return 'unreadable';
  elsif shown_status = 'kept' then
    update payout_steps set kept_from = back where intent_id = s.intent_id;
    if s.state <> 'failed' or s.failure_reason is distinct from 'reversed' then
      return 'stale';
    end if;
  elsif back = s.kept_from
    or array_position(array['sent', 'done', 'failed'], next_state) <= array_position(array['sent', 'done', 'failed'], s.state) then
    return 'stale';
  end if;
  update payout_steps
  set state = next_state, ended_at = now(), failure_reason = case when next_state = 'failed' then coalesce(failure, shown_status) end
  where intent_id = s.intent_id;
  select c.processor_account_id into strict account from connect_accounts c where c.id = p.connect_account_id;
  perform post_entries(p.id, p.owner, 'bank', processor_payout, coalesce(at, now()), account, case
    when next_state = 'done' then leg('in_transit', 'bank', s.currency, s.amount_cents)
      || case when shown_status = 'kept' then held_legs(p.id, 'in_transit', s.currency, -s.amount_cents) else '[]' end
    else held_legs(p.id, 'in_transit', s.currency, s.amount_cents)
      || leg('in_transit', 'bank', s.currency, case when s.state = 'done' then -s.amount_cents else 0 end)
  end);
  perform settle_payout(s.payout_id);
  return 'applied';
end $$;
