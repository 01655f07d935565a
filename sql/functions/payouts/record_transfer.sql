-- Records the transfer to the trader's account, and requests the payout from there to its bank.
create or replace function record_transfer(intent uuid, held_fence integer, said jsonb, transfer text, item jsonb) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  update payouts
  set status = 'submitted', submitted_at = now(), processor_transfer_id = transfer, pay_intent_id = (item ->> 'id')::uuid
  where submit_intent_id = intent and status = 'pending';
  perform accept_intents(jsonb_build_array(item));
  return true;
end $$;
