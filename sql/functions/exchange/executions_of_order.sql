-- The recorded executions of an order of a wallet: those under the number that is recorded of it, and those under its client order id, which it
-- keeps when its trader changes it at the exchange, while its number becomes another one.
create or replace function executions_of_order(wallet text, number text, of_order uuid) returns setof exchange_fills
language sql stable as $$
  select *
  from exchange_fills f
  where f.ex_wallet = wallet and f.oid = number
  union all
  select *
  from exchange_fills f
  where f.ex_wallet = wallet and f.cloid = '0x' || replace(of_order::text, '-', '') and f.oid is distinct from number
$$;
