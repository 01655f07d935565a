-- Records the refund that the processor made: ends its intent and stores the refund. False if the claim is lost: then nothing is written.
-- Locks the intent, then the payment, then what settle_money locks. Refund: as the loss of note_loss.
create or replace function record_refund(intent uuid, held_fence integer, said jsonb, of_payment text, refund jsonb) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  perform from payments where id = of_payment for update;
  perform note_loss(of_payment, refund, extract(epoch from now())::double precision * 1000);
  perform settle_money(of_payment);
  return true;
end $$;
