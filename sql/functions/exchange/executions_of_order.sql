-- The recorded executions of an order of a wallet: those under the number that is recorded of it, and those under its client order id, which it
-- keeps when its trader changes it at the exchange, while its number becomes another one. Both are ordered as their keys are: else a plan made while
-- the table was small may read all of the wallet.
create or replace function executions_of_order(wallet text, number text, of_order uuid) returns setof exchange_fills
language sql stable as $$
  (
    select *
    from exchange_fills f
    where f.ex_wallet = wallet and f.oid = number
    order by f.trade_id
    offset 0
  )
  union all
  (
    select *
    from (
      select *
      from exchange_fills c
      where c.ex_wallet = wallet and c.cloid = '0x' || replace(of_order::text, '-', '')
      order by c.trade_id
      offset 0
    ) f
    where f.oid is distinct from number
  )
$$;
