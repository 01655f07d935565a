-- Stores that the transfer of a step was made, and requests the payout from the trader's account to its bank: at once, or, without an item,
-- by the next sweep. The caller holds the payout.
-- Item: as for begin_payout_step. Arrival: the processor's id of the payment that the account received.
create or replace function note_transfer(intent uuid, transfer text, arrival text, item jsonb, made_at timestamptz default null) returns void
language plpgsql as $$
declare
  s payout_steps;
begin
  update payout_steps
  set state = 'done', processor_id = transfer, failure_reason = null, ended_at = now()
  where intent_id = intent
  returning * into strict s;
  update payouts
  set processor_transfer_id = transfer, transferred_cents = s.amount_cents, arrival_id = arrival,
    pay_after = case when item is null then now() end, delayed_for = null, delayed_since = null
  where id = s.payout_id;
  perform post_payout(s.payout_id, coalesce(made_at, now()), transfer);
  if item is null then
    perform settle_payout(s.payout_id);
  else
    perform begin_payout_step(s.payout_id, 'payout', item);
  end if;
  perform take_up_events(transfer);
end $$;
