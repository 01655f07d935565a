-- Records what was executed of orders of a wallet, by their numbers (`oids`), that had ended before the reads of their executions showed it: the
-- price of what was filled, once the recorded executions are all of that, and what was filled besides: an order may be filled in part just before
-- it is cancelled. Writes the statement lines of it. It is called when executions are recorded, and when the number of an order becomes known.
-- Returns the orders of which more was filled than was known. Locks these orders: what they say is that of the locked row, since their exits may be
-- found at the same time.
create or replace function record_late_fills(wallet text, oids text[]) returns uuid[]
language plpgsql as $$
declare
  late jsonb;
  filled_more uuid[];
begin
  select jsonb_agg(jsonb_build_object(
    'id', n.id,
    'executed', n.executed || jsonb_build_object(
      'filled_size', trim_scale(n.filled)::text,
      'fill_price', trim_scale(average_price(n.worth, n.filled))::text
    ),
    'filled', n.filled,
    'worth', n.worth,
    'was_filled', case when n.price is null then 0 else n.known end,
    'was_worth', n.known_worth
  )), coalesce(array_agg(n.id) filter (where n.filled > n.known), '{}') into late, filled_more
  from (
    select o.id, o.executed, s.filled, s.worth, s.known_worth, k.known, k.price
    from unnest(oids) as u (oid)
    join orders o on o.exchange_number = u.oid and o.trader = wallet
    cross join lateral (
      select coalesce((o.executed ->> 'filled_size')::numeric, 0) as known, (o.executed ->> 'fill_price')::numeric as price
    ) k
    cross join lateral sum_executions(wallet, u.oid, k.known, k.price) s
    where o.venue = 'exvenue' and o.lifecycle <> 'resting' and s.filled > 0
      and (s.filled > k.known or s.filled = k.known and k.price is null)
    order by o.id
    for update of o
  ) n;
  if late is not null then
    perform change_orders(late);
    perform state_exchange_fills(wallet, late);
  end if;
  return filled_more;
end $$;
