-- Emits an event about a payment of which another amount is refunded, to its app: a refund was made, or one has failed. None where both were posted
-- together (note_loss): as much is refunded as before. Body of trigger refunds_emit.
create or replace function emit_refund() returns trigger
language plpgsql as $$
begin
  perform emit_payment(p, 'payment.refunded', jsonb_build_object(
    'refunded_cents', m.refunded_cents,
    'received_cents', m.received_cents,
    'currency', coalesce(p.received_currency, p.currency)
  ))
  from payments p
  cross join lateral payment_money(p) m
  where p.id = new.subject and (
    select sum(l.amount)
    from ledger_transactions n
    join ledger_transactions t on t.subject = n.subject and t.kind = n.kind and t.xmin = n.xmin
    join ledger_lines l on l.transaction_id = t.id and l.account = 'refunds'
    where n.id = new.id
  ) <> 0;
  return null;
end $$;
