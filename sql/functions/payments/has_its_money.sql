-- Whether an account may be created for a payment: money of it is kept, no loss stops it, and no refund takes it away. A null id has no
-- payment, hence nothing to return.
create or replace function has_its_money(of_payment text) returns boolean
language sql stable as $$
  select not exists (
    select
    from payments p
    cross join lateral payment_money(p) m
    where p.id = of_payment
      and (p.stopped_for is not null or m.held_cents <= 0 or refund_state(p.id) in ('under_way', 'unknown'))
  )
$$;
