-- Writes the state of a payment that an update from the processor at `said` has led to, and posts what was received. `differs`: it first showed that the payment
-- succeeded with another amount or currency than its price; `cleared`: that it did with its price. The caller holds the payment.
create or replace function write_payment(
  payment text, new_status text, at timestamptz, cents integer, of_currency text, differs boolean, cleared boolean, said timestamptz
) returns void
language plpgsql as $$
begin
  update payments p
  set status = new_status, status_at = at, received_cents = cents, received_currency = of_currency,
    amount_differs = (p.amount_differs or differs) and not cleared,
    paid_at = case when new_status = 'succeeded' then coalesce(p.paid_at, now()) end,
    sealed_client_secret = case when new_status in ('succeeded', 'canceled') then null else p.sealed_client_secret end
  where p.id = payment;
  perform post_payment(payment, said, p.processor_payment_intent_id) from payments p where p.id = payment;
end $$;
