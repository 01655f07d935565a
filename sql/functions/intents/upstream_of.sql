-- The upstream that an intent of this kind writes to.
create or replace function upstream_of(kind text) returns text
language sql immutable as $$
  select case
    when kind like 'orders/exvenue/%' then 'exvenue'
    when kind like 'orders/%' or kind like 'accounts/%' then 'netvenue'
    when kind like 'registration/%' then 'registrar'
    else 'processor'
  end
$$;
