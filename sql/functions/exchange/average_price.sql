-- The average price of executions of this value and size, to 10 decimals, halves up, as src/venues/exchange/filled.ts computes it: of a division
-- with many more decimals, else it would be rounded twice. Null without a size.
create or replace function average_price(worth numeric, size numeric) returns numeric
language sql immutable as $$
  select round(round(worth, 30) / nullif(size, 0), 10)
$$;
