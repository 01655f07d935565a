-- The data of position.liquidated for executions of a wallet, one for each pair that the exchange liquidated. Null without any.
create or replace function liquidations(wallet text, added exchange_fills[]) returns jsonb[]
language sql stable as $$
  select array_agg(jsonb_build_object(
    'venue', 'exvenue',
    'trader_id', wallet,
    'pair', exchange_pair(n.coin),
    'liquidated_size', trim_scale(n.size)::text,
    'price', trim_scale(average_price(n.worth, n.size))::text,
    'realized_pnl', trim_scale(n.realized)::text,
    'left_size', trim_scale(abs(p.size))::text,
    'at', to_char(n.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by n.first)
  from (
    select a.coin, min(a.seq) as first, sum(a.size) as size, sum(a.size * a.price) as worth, sum(a.closed_pnl) as realized, max(a.filled_at) as at
    from unnest(added) a
    where a.is_liquidation
    group by a.coin
  ) n
  join exchange_positions p on p.ex_wallet = wallet and p.coin = n.coin
$$;
