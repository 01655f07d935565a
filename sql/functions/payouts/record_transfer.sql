-- Records the transfer to the trader's account that the processor accepted, see note_transfer. False if the claim is lost. Locks the intent,
-- then the payout, then its event log.
create or replace function record_transfer(
  intent uuid, held_fence integer, said jsonb, transfer text, arrival text, item jsonb
) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  perform from payouts p join payout_steps s on s.payout_id = p.id where s.intent_id = intent for update of p;
  perform note_transfer(intent, transfer, arrival, item);
  return true;
end $$;
