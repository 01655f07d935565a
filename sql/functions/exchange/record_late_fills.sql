-- Records what was executed of orders of a wallet, by the numbers of executions (`oids`), that had ended before the reads of these showed it: the
-- price of what was filled, once the recorded executions are all of that, and what was filled besides: an order may be filled in part just before it
-- is cancelled. Writes the statement lines of it. It is called when executions are recorded, and when the number of an order becomes known. Returns
-- the orders of which more was filled than was known. Locks these orders and reads them under the lock, since their exits may be found at the same
-- time.
create or replace function record_late_fills(wallet text, oids text[]) returns uuid[]
language plpgsql as $$
declare
  late jsonb;
  filled_more uuid[];
begin
  select jsonb_agg(jsonb_build_object(
    'id', n.id,
    'executed', n.executed || jsonb_build_object(
      'size', trim_scale(greatest(n.size, n.filled))::text,
      'filled_size', trim_scale(n.filled)::text,
      'fill_price', trim_scale(average_price(n.worth, n.filled))::text
    ),
    'filled', n.filled,
    'worth', n.worth,
    'was_filled', case when n.price is null then 0 else n.known end,
    'was_worth', n.known_worth
  )), coalesce(array_agg(n.id) filter (where n.filled > n.known), '{}') into late, filled_more
  from (
    select o.id, o.executed, s.filled, s.worth, s.known_worth, k.known, k.price, k.size
    from (
      select r.id
      from unnest(oids) as u (oid)
      join orders r on r.exchange_number = u.oid and r.trader = wallet
      union
      select substr(f.cloid, 3)::uuid -- its trader has changed it at the exchange: it has other numbers
      from unnest(oids) as u (oid)
      cross join lateral (
        select x.cloid
        from exchange_fills x
        where x.ex_wallet = wallet and x.oid = u.oid
        order by x.trade_id -- as the key does: else a plan made while the table was small may read all of the wallet
        offset 0
      ) f
      where f.cloid ~ '^0x[0-9a-f]{32}$'
    ) u
    join orders o on o.id = u.id and o.trader = wallet
    cross join lateral (
      select coalesce((o.executed ->> 'filled_size')::numeric, 0) as known, (o.executed ->> 'fill_price')::numeric as price,
        (o.executed ->> 'size')::numeric as size
    ) k
    cross join lateral sum_executions(wallet, o.exchange_number, k.known, k.price, o.id) s
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
