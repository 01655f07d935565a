-- Whether a payment was refunded or is disputed. A null id has no payment, hence nothing to return.
create or replace function is_returned(payment text) returns boolean
language sql stable as $$
  select exists (
    select
    from payments p
    where p.id = payment and (p.refunded_at is not null or p.disputed_at is not null)
  )
$$;
