-- Closes an event with what became of it. An unreadable one, which is about an object of ours and cannot be applied, stops the account of its payment
-- (settle_money), or the payouts of its payout account (payout_obstacle), until an operator closes it (dismiss_event). Locks the payment, then what
-- settle_money locks.
create or replace function close_event(event text, new_outcome text) returns void
language plpgsql as $$
declare
  payment text;
begin
  select p.id into payment
  from processor_events e
  join payments p on p.processor_payment_intent_id = e.object_id
  where e.id = event
  for no key update of p;
  update processor_events set outcome = new_outcome, acted_at = now(), payment_id = payment where id = event;
  if new_outcome = 'unreadable' and payment is not null then
    perform settle_money(payment);
  end if;
end $$;
