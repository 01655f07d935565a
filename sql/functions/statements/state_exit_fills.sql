-- Writes the statement lines of executions of a wallet that were exits of orders or commands of a partner, one for each exit: what was added, at its
-- average price.
create or replace function state_exit_fills(wallet text, added exchange_fills[]) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, side, quantity, price, progress)
  select statement_id(p.owner, 'fill', wallet, e.oid, t.progress, e.exit_of), p.owner, 'fill', 'executed', clock_timestamp(), 'exvenue', wallet,
    e.oid, exchange_pair(e.coin), case e.side when 'buy' then 'long' else 'short' end, e.size, average_price(e.worth, e.size), t.progress
  from (
    select a.oid, a.exit_of, a.coin, a.side, sum(a.size) as size, sum(a.size * a.price) as worth
    from unnest(added) a
    where a.exit_of is not null
    group by a.oid, a.exit_of, a.coin, a.side
  ) e
  cross join lateral placer_of(e.exit_of) p (owner)
  cross join lateral (
    select sum(f.size) as progress
    from exchange_fills f
    where f.ex_wallet = wallet and f.oid = e.oid
  ) t
  where p.owner is not null
  order by e.oid
  on conflict (id) do nothing
$$;
