-- The state of a payment that its user reads: a dispute, then a refund, goes before the processor's status. Cents as payment_money returns them.
create or replace function payment_state(status text, refunded_cents integer, disputed_cents integer) returns text
language sql immutable as $$
  select case when disputed_cents > 0 then 'disputed' when refunded_cents > 0 then 'refunded' else status end
$$;
