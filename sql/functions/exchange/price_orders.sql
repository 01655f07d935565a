-- Records the price of orders of a wallet, by their numbers (`oids`), that ended before the reads of their executions showed it, and writes the
-- statement lines of what they executed, once the recorded executions are all of that. It is called when executions are recorded, and when the
-- number of an order becomes known. Locks these orders.
create or replace function price_orders(wallet text, oids text[]) returns void
language plpgsql as $$
declare
  priced jsonb;
begin
  perform
  from orders o
  where o.trader = wallet and o.exchange_number = any(oids) and o.lifecycle <> 'resting' and o.executed ->> 'fill_price' is null
  order by o.id
  for update; -- what they say is read after the lock: their exits may be found at the same time
  select jsonb_agg(jsonb_build_object(
    'id', n.id,
    'executed', n.executed || jsonb_build_object('fill_price', trim_scale(round(n.worth / n.filled, 10))::text),
    'filled', n.filled,
    'worth', n.worth,
    'was_filled', 0,
    'was_worth', 0
  )) into priced
  from (
    select o.id, o.executed, s.filled, s.worth
    from unnest(oids) as u (oid)
    join orders o on o.exchange_number = u.oid and o.trader = wallet
    cross join lateral (
      select coalesce(sum(f.size), 0) filled, coalesce(sum(f.size * f.price), 0) worth
      from exchange_fills f
      where f.ex_wallet = wallet and f.oid = u.oid
    ) s
    where o.venue = 'exvenue' and o.lifecycle <> 'resting' and o.executed ->> 'fill_price' is null
      and (o.executed ->> 'filled_size')::numeric > 0 and s.filled >= (o.executed ->> 'filled_size')::numeric
  ) n;
  if priced is not null then
    perform change_orders(priced);
    perform state_exchange_fills(wallet, priced);
  end if;
end $$;
