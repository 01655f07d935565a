-- Emits an event about a payment of which another amount is refunded, to its app: a refund was made, or one has failed. Body of trigger
-- payments_emit.
create or replace function emit_refund() returns trigger
language plpgsql as $$
begin
  if new.refunded_cents <> old.refunded_cents then
    perform emit_event(new.owner, 'payment.refunded', jsonb_build_object(
      'payment_id', new.id,
      'user_id', new.user_id,
      'processor_payment_intent_id', new.processor_payment_intent_id,
      'refunded_cents', new.refunded_cents,
      'received_cents', new.received_cents,
      'currency', coalesce(new.received_currency, new.currency)
    ));
  end if;
  return null;
end $$;
