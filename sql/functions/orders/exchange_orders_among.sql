-- The orders with these ids and those with these numbers of the exchange, each once. Each key has its own look-up: a cached plan for "one of these
-- ids or numbers, of this wallet" reads all orders of the wallet.
create or replace function exchange_orders_among(ids uuid[], numbers text[]) returns setof orders
language sql stable as $$
  select o.*
  from (select distinct n.id from unnest(ids) as n (id)) u
  cross join lateral (
    select *
    from orders k
    where k.id = u.id
    offset 0
  ) o
  where o.venue = 'exvenue'
  union all
  select o.*
  from (select distinct n.number from unnest(numbers) as n (number)) u
  cross join lateral (
    select *
    from orders k
    where k.exchange_number = u.number
    offset 0
  ) o
  where o.venue = 'exvenue' and o.id <> all (ids)
$$;
