-- Fails the payment of a checkout whose intent ended without a payment intent, for any reason. A step of follow_ending. Locks the payment.
create or replace function fail_checkout(intent uuid) returns void
language sql as $$
  update payments p
  set status = 'failed', failure_code = lower((i.outcome -> 'problem' ->> 'code') collate "C")
  from intents i
  where i.id = intent and p.intent_id = i.id and p.status = 'pending'
$$;
