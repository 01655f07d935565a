-- Records the refund that the processor made: ends its intent and stores the refund.
-- Locks the intent, then what note_loss locks. Refund: as the loss of note_loss.
create or replace function record_refund(intent uuid, held_fence integer, said jsonb, of_payment text, refund jsonb) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  perform note_loss(of_payment, refund, extract(epoch from now())::double precision * 1000);
  perform settle_money(of_payment);
end $$;
