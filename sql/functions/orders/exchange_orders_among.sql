-- The orders with these ids and those with these numbers of the exchange, each once. Every key is looked for by itself: a plan for "one of these ids
-- or numbers, of this wallet" that is kept for any wallet reads all orders of one that has many.
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
