-- The pair of a coin as callers are shown it. Spot pairs and outcomes keep the exchange's names.
create or replace function exchange_pair(coin text) returns text
language sql immutable as $$
  select case when is_perpetual(coin) then coin || '-USDC' else coin end
$$;
