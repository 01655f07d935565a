-- Emits an event about a payment to its app: what every such event says, and `more`.
create or replace function emit_payment(p payments, of_type text, more jsonb) returns void
language sql as $$
  select emit_event(p.owner, of_type, more || jsonb_build_object(
    'payment_id', p.id, 'user_id', p.user_id, 'processor_payment_intent_id', p.processor_payment_intent_id))
$$;
