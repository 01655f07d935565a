create or replace view ops.suspect_payments as
select e.id as event_id, p.id as payment_id, p.owner, p.user_id, e.fact ->> 'processorId' as processor_payment_intent_id,
  case when e.fact ->> 'about' = 'warning' then 'early_fraud_warning' else 'second_payment' end as why,
  case
    when e.fact ->> 'about' = 'warning' then 'refund the payment before it is disputed'
    else 'refund this payment intent at the processor: the payment was paid by another one, or names another one'
  end as safe_action,
  e.said_at
from processor_events e
join payments p on p.id = case when e.fact ->> 'about' = 'warning' then e.payment_id else e.fact ->> 'paymentId' end
where e.closed_at is null
  and (e.fact ->> 'about' = 'warning'
    or (e.type = 'payment_intent.succeeded' and e.outcome = 'not_ours' and e.fact ->> 'paymentId' is not null))
  and case when e.fact ->> 'about' = 'warning'
    then (e.fact ->> 'isActionable')::boolean and p.received_currency is not null and p.returned_at is null
    else p.processor_payment_intent_id <> e.fact ->> 'processorId'
  end
order by e.said_at desc;
comment on view ops.suspect_payments is
  'Payments with an early fraud warning while their money is kept, and payment intents that were paid in the name of a payment that has another '
  'one. Each until the money is returned, or ops.dismiss_event.';
