-- Emits an event about a payment whose checkout has failed, to its app: whoever asked may not have waited. Body of trigger payments_emit.
create or replace function emit_failed_checkout() returns trigger
language plpgsql as $$
begin
  perform emit_event(new.owner, 'payment.failed', jsonb_build_object(
    'payment_id', new.id, 'user_id', new.user_id, 'processor_payment_intent_id', new.processor_payment_intent_id, 'status', new.status));
  return null;
end $$;
