-- Posts the losses of a payment that the ledger does not have yet, dated `said` by the processor's clock, writes whether its account may trade, and
-- lets the account follow (follow_money). The one place that decides it: an account may trade while operators have accepted every loss and closed
-- every unreadable event, and while the effect of no refund stays unknown. A dispute takes precedence over a refund. The caller holds the payment.
-- Locks the account, then its event log.
create or replace function settle_money(of_payment text, said timestamptz default now(), of_source text default null) returns void
language plpgsql as $$
declare
  p payments;
  l record;
  m record;
  stop text;
  unread text := unread_stop(of_payment);
begin
  select * into strict p from payments where id = of_payment;
  perform post_losses(p, said, of_source);
  select * into l from losses_of(of_payment);
  stop := case
    when l.open_disputes > 0 or unread = 'disputed' then 'disputed'
    when l.open_refunds > 0 or refund_state(of_payment) = 'unknown' then 'refunded'
    else unread
  end;
  select * into m from payment_money(p);
  update payments
  set stopped_for = stop, returned_at = returned_at_of(p),
    refunded_at = case when m.refunded_cents > 0 then coalesce(refunded_at, now()) end,
    disputed_at = case when exists (
      select from payment_losses o where o.payment_id = of_payment and o.kind = 'dispute'
    ) then coalesce(disputed_at, now()) end
  where id = of_payment;
  perform follow_money(of_payment, p.stopped_for, stop);
end $$;
