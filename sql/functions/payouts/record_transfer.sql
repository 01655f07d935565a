-- Records the transfer to the trader's account, and requests the payout from there to its bank: at once, or, for an account abroad, once its
-- money is available there (item null). False if the claim is lost. Locks the intent, then the payout, then its event log.
-- Item: as for begin_payout_step. Arrival: the processor's id of the payment that the account received.
create or replace function record_transfer(
  intent uuid, held_fence integer, said jsonb, transfer text, arrival text, item jsonb
) returns boolean
language plpgsql as $$
declare
  s payout_steps;
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  select * into strict s from payout_steps where intent_id = intent;
  perform from payouts where id = s.payout_id for update;
  update payout_steps set state = 'done', processor_id = transfer, failure_reason = null, ended_at = now() where intent_id = intent;
  update payouts
  set processor_transfer_id = transfer, transferred_cents = s.amount_cents, arrival_id = arrival,
    pay_after = case when item is null then now() end
  where id = s.payout_id;
  if item is null then
    perform settle_payout(s.payout_id);
  else
    perform begin_payout_step(s.payout_id, 'payout', item);
  end if;
  perform take_up_events(transfer);
  return true;
end $$;
