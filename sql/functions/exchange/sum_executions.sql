-- What the recorded executions of an order add up to, by its number: their size and value, and the value of the part of this size and average price
-- (`known`) that was counted before. It is that of the executions that were recorded first, if they are this part: its rounded price times its size
-- may differ by more than a small part added to it is worth.
create or replace function sum_executions(wallet text, number text, known numeric, price numeric)
returns table (filled numeric, worth numeric, known_worth numeric)
language sql stable as $$
  select coalesce(max(r.filled), 0), coalesce(max(r.worth), 0),
    coalesce(max(r.worth) filter (where r.filled = known and average_price(r.worth, r.filled) = price), known * price, 0)
  from (
    select sum(f.size) over w as filled, sum(f.size * f.price) over w as worth
    from exchange_fills f
    where f.ex_wallet = wallet and f.oid = number
    window w as (order by f.seq)
  ) r
$$;
