-- Writes the figures of a payment and whether its account may trade, and lets the account follow (follow_money). The one place that decides
-- it: an account may trade while operators have accepted every loss and closed every unreadable event, and while the effect of no refund stays
-- unknown. A dispute takes precedence over a refund. The caller holds the payment. Locks the account, then its event log.
create or replace function settle_money(of_payment text) returns void
language plpgsql as $$
declare
  m record;
  stop text;
  unread text := unread_stop(of_payment);
begin
  select * into m from money_of(of_payment);
  stop := case
    when m.open_disputes > 0 or unread = 'disputed' then 'disputed'
    when m.open_refunds > 0 or refund_state(of_payment) = 'unknown' then 'refunded'
    else unread
  end;
  update payments
  set refunded_cents = m.refunded, disputed_cents = m.disputed, won_back_cents = m.won_back, stopped_for = stop,
    refunded_at = case when m.refunded > 0 then coalesce(refunded_at, now()) end,
    disputed_at = case when m.disputed > 0 then coalesce(disputed_at, now()) end
  where id = of_payment;
  perform follow_money(of_payment, stop);
end $$;
