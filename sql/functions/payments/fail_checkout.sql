-- Fails the payment of a checkout whose intent ended without a payment intent, for any reason, and tells its app: whoever asked may not have
-- waited. A step of follow_ending. Locks the payment, then its event log.
create or replace function fail_checkout(intent uuid) returns void
language sql as $$
  with failed as (
    update payments p
    set status = 'failed', failure_code = lower(i.outcome -> 'problem' ->> 'code')
    from intents i
    where i.id = intent and p.intent_id = i.id and p.status = 'pending'
    returning p.*
  )
  select emit_event(f.owner, 'payment.failed', jsonb_build_object(
    'payment_id', f.id, 'user_id', f.user_id, 'processor_payment_intent_id', f.processor_payment_intent_id, 'status', f.status))
  from failed f
$$;
