-- What the ledger holds of a payment: received, refunded, and kept, without what disputes withdrew (an inquiry withdraws nothing). `disputed_cents`
-- is in open or lost disputes and inquiries. A statement that locks the payment does not see what the lock waited for: read this in the next one.
create or replace function payment_money(p payments)
returns table (received_cents integer, refunded_cents integer, disputed_cents integer, held_cents integer)
language sql stable as $$
  select -m.receipts::integer, m.refunds::integer, d.cents::integer, -(m.receipts + m.refunds + m.disputes)::integer
  from (
    select coalesce(sum(l.amount) filter (where l.account = 'receipts'), 0) as receipts,
      coalesce(sum(l.amount) filter (where l.account = 'refunds'), 0) as refunds,
      coalesce(sum(l.amount) filter (where l.account = 'disputes'), 0) as disputes
    from ledger_lines l
    where l.subject = p.id and l.currency = coalesce(p.received_currency, p.currency)
  ) m, (
    select coalesce(sum(l.amount_cents), 0) as cents
    from payment_losses l
    where l.payment_id = p.id and l.kind = 'dispute' and l.is_live
  ) d
$$;
