-- Stores the refund that the processor made for an intent that has ended by it. The account also follows if an event has reported the refund before
-- (note_loss: stale), because its end was not known then. Locks what note_loss locks. Refund: as the loss of note_loss.
create or replace function note_refund(of_payment text, refund jsonb) returns void
language plpgsql as $$
begin
  perform note_loss(of_payment, refund, extract(epoch from now())::double precision * 1000);
  perform settle_money(of_payment);
end $$;
