-- Records the processor's id of a payment that has none yet, and takes up the events that arrived before. Locks the payment.
create or replace function name_payment(payment text, processor_id text) returns void
language plpgsql as $$
begin
  update payments
  set processor_payment_intent_id = processor_id
  where id = payment and processor_payment_intent_id is null;
  if found then
    perform take_up_events(processor_id);
  end if;
end $$;
