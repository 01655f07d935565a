-- Closes an event about an object of ours that cannot be applied. It stops the account of its payment (settle_money), or the payouts of its payout
-- account (payout_obstacle), until an operator closes it (dismiss_event). Locks the payment, then what settle_money locks.
create or replace function close_as_unreadable(event text) returns void
language plpgsql as $$
declare
  payment text;
begin
  select p.id into payment
  from processor_events e
  join payments p on p.processor_payment_intent_id = e.object_id
  where e.id = event
  for no key update of p;
  update processor_events set outcome = 'unreadable', acted_at = now(), payment_id = payment where id = event;
  if payment is not null then
    perform settle_money(payment);
  end if;
end $$;
