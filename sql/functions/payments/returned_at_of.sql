-- Since when nothing is held of a payment that was received: what its row says, else now. Null: something is held, or nothing was received.
create or replace function returned_at_of(p payments) returns timestamptz
language sql stable as $$
  select case when m.received_cents > 0 and m.held_cents <= 0 then coalesce(p.returned_at, now()) end
  from payment_money(p) m
$$;
