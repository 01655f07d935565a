-- Writes the state of a payment that an update from the processor has led to, and posts what was received beyond the ledger, at `moved` by the
-- processor's clock. `differs`: it first showed that the payment succeeded with another amount or currency than its price; `cleared`: that it did
-- with its price. `emitted`: the event about it, if any; `payment.succeeded` also opens `account` (open_paid_account). `said`: the status that the
-- update reported. The caller holds the payment.
create or replace function write_payment(
  payment text, new_status text, at timestamptz, cents integer, of_currency text, differs boolean, cleared boolean, moved timestamptz,
  emitted text default null, said text default null, account jsonb default null
) returns void
language plpgsql as $$
declare
  p payments;
begin
  update payments o
  set status = new_status, status_at = at, received_currency = of_currency,
    amount_differs = (o.amount_differs or differs) and not cleared,
    paid_at = case when new_status = 'succeeded' then coalesce(o.paid_at, now()) end,
    sealed_client_secret = case when new_status in ('succeeded', 'canceled') then null else o.sealed_client_secret end
  where o.id = payment
  returning * into p;
  perform post_entries(p.id, p.owner, 'payment', p.processor_payment_intent_id, moved, null, jsonb_build_array(
    leg('receipts', 'platform', of_currency, cents + ledger_sum(p.id, '{receipts}', of_currency))));
  update payments o set returned_at = returned_at_of(p) where o.id = payment;
  if emitted = 'payment.succeeded' then
    perform open_paid_account(payment, account ->> 'id', (account ->> 'intent_id')::uuid, (account ->> 'deadline_s')::double precision);
  end if;
  if emitted is not null then
    perform emit_payment(p, emitted, case emitted
      when 'payment.failed' then jsonb_build_object('status', said)
      when 'payment.mismatched' then jsonb_build_object('amount_cents', p.amount_cents, 'currency', p.currency, 'received_cents', cents,
        'received_currency', of_currency)
      else '{}'
    end);
  end if;
end $$;
