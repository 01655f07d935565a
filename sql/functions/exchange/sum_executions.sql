-- What the recorded executions of an order add up to: their size and value, and the value of the part of this size and average price (`known`) that
-- was counted before. It is that of the executions that were recorded first, if they are this part: its rounded price times its size may differ by
-- more than a small part added to it is worth. `is_changed`: some are under another number than the recorded one, so its trader has changed the
-- order at the exchange, and perhaps its size.
create or replace function sum_executions(wallet text, number text, known numeric, price numeric, of_order uuid)
returns table (filled numeric, worth numeric, known_worth numeric, is_changed boolean)
language sql stable as $$
  select coalesce(max(r.filled), 0), coalesce(max(r.worth), 0),
    coalesce(max(r.worth) filter (where r.filled = known and average_price(r.worth, r.filled) = price), known * price, 0),
    coalesce(bool_or(r.oid is distinct from number), false)
  from (
    select f.oid, sum(f.size) over w as filled, sum(f.size * f.price) over w as worth
    from executions_of_order(wallet, number, of_order) f
    window w as (order by f.seq)
  ) r
$$;
