-- Posts what the figures of a payment say beyond the ledger: received, refunded, and withdrawn by disputes (an inquiry withdraws nothing). Every
-- writer of these figures calls it, with the time at which they moved by the processor's clock. The caller holds the payment.
create or replace function post_payment(of_payment text, said timestamptz, of_source text default null) returns void
language plpgsql as $$
declare
  p payments;
  cur text;
  withdrawn bigint;
begin
  select * into strict p from payments where id = of_payment;
  cur := coalesce(p.received_currency, p.currency);
  select coalesce(sum(l.amount_cents), 0) into withdrawn
  from payment_losses l
  where l.payment_id = of_payment and l.kind = 'dispute' and l.is_live and coalesce(l.status, '') not like 'warning%';
  perform post_entries(p.id, p.owner, m.kind, of_source, said, null, jsonb_build_array(m.moved))
  from (values
    ('payment', leg('receipts', 'platform', cur, p.received_cents + ledger_sum(p.id, '{receipts}', cur))),
    ('refund', leg('platform', 'refunds', cur, p.refunded_cents - ledger_sum(p.id, '{refunds}', cur))),
    ('dispute', leg('platform', 'disputes', cur, withdrawn - ledger_sum(p.id, '{disputes}', cur)))
  ) as m (kind, moved);
end $$;
