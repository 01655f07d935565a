-- What the losses of a payment add up to. Refunds are the processor's cumulative figure of the charge, without those refunds that failed after it
-- was reported and with those made after it; or what the known refunds take, if that is more: either may be reported first. A charge without
-- refunds, which a failed attempt of the buyer is, says nothing. An inquiry withdraws nothing. `open_…` is the part that no operator has accepted.
create or replace function losses_of(of_payment text, out refunded bigint, out withdrawn bigint, out open_refunds bigint, out open_disputes bigint)
language sql stable as $$
  with losses as materialized (
    select l.*
    from payment_losses l
    where l.payment_id = of_payment
  ), charges as (
    select sum(c.accepted_cents) as accepted, sum(c.amount_cents + (
      select coalesce(sum(case
        when r.is_live and r.made_at > c.said_at then r.amount_cents
        when not r.is_live and r.said_at >= c.said_at and (r.made_at is null or r.made_at <= c.said_at) then -r.amount_cents
      end), 0)
      from losses r
      where r.kind = 'refund'
    )) filter (where c.amount_cents > 0) as cents
    from losses c
    where c.kind = 'charge'
  ), others as (
    select coalesce(sum(l.amount_cents) filter (where l.kind = 'refund'), 0) as refunded,
      coalesce(sum(l.accepted_cents) filter (where l.kind = 'refund'), 0) as accepted,
      coalesce(sum(l.amount_cents) filter (where l.kind = 'dispute' and coalesce(l.status, '') not like 'warning%'), 0) as withdrawn,
      coalesce(sum(l.amount_cents - l.accepted_cents) filter (where l.kind = 'dispute'), 0) as open
    from losses l
    where l.is_live
  )
  select greatest(o.refunded, c.cents), o.withdrawn, greatest(o.refunded, c.cents) - greatest(o.accepted, c.accepted), o.open
  from charges c, others o
$$;
