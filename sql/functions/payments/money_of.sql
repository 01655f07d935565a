-- The figures of a payment's losses. Refunds are the processor's cumulative figure of the charge, without those refunds that failed after it
-- was reported and with those made after it; or what the known refunds take, if that is more: either may be reported first. `open_…` is the
-- part that no operator has accepted.
create or replace function money_of(of_payment text, out refunded integer, out disputed integer, out won_back integer,
  out open_refunds integer, out open_disputes integer)
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
    )) as cents
    from losses c
    where c.kind = 'charge'
  ), refunds as (
    select coalesce(sum(r.amount_cents), 0) as cents, coalesce(sum(r.accepted_cents), 0) as accepted
    from losses r
    where r.kind = 'refund' and r.is_live
  ), disputes as (
    select coalesce(sum(d.amount_cents), 0) as cents,
      coalesce(sum(d.amount_cents) filter (where not d.is_live), 0) as won_back,
      coalesce(sum(d.amount_cents - d.accepted_cents) filter (where d.is_live), 0) as open
    from losses d
    where d.kind = 'dispute'
  )
  select greatest(r.cents, c.cents)::integer, d.cents::integer, d.won_back::integer,
    (greatest(r.cents, c.cents) - greatest(r.accepted, c.accepted))::integer, d.open::integer
  from charges c, refunds r, disputes d
$$;
