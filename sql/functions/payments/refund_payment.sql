-- Accepts the intent that refunds the rest of a payment, and records the operator. Until it has ended, the payment's account is neither created
-- again, nor attached, reinstated or abandoned. While a refund is under way, its intent is the result of a second call. Locks the payment. No
-- row: nothing is left to refund.
create or replace function refund_payment(
  payment text, by_operator text, because text, new_intent uuid, deadline_s double precision, of_request text
) returns table (intent_id uuid)
language plpgsql as $$
declare
  p payments;
begin
  select * into p from payments where id = payment for no key update;
  if not exists (select from payment_money(p) m where m.refunded_cents < m.received_cents) then
    return;
  elsif refund_state(payment) = 'under_way' then
    return query select p.refund_intent_id;
    return;
  end if;
  update payments set refund_intent_id = new_intent where id = payment;
  perform accept_intents(jsonb_build_array(jsonb_build_object(
    'n', 0, 'id', new_intent, 'kind', 'payments/refund', 'owner', p.owner, 'deadline_s', deadline_s,
    'digest', encode(convert_to(payment, 'utf8'), 'hex'), 'request_id', of_request,
    'request', jsonb_build_object('payment_id', payment, 'operator', by_operator)
  )));
  perform record_action(by_operator, 'refund', null, payment, null, because, jsonb_build_object('intent_id', new_intent));
  return query select new_intent;
end $$;
