-- The data of exit.triggered for executions of a wallet, one for each exit of ours among their orders. Null without any.
create or replace function exit_triggers(wallet text, added exchange_fills[]) returns jsonb[]
language sql stable as $$
  select array_agg(jsonb_build_object(
    'venue', 'exvenue',
    'trader_id', wallet,
    'pair', exchange_pair(n.coin),
    'exit', case n.leg when 'tp' then 'take_profit' else 'stop_loss' end,
    'ex_order_id', n.oid,
    'filled_size', trim_scale(n.size)::text,
    'fill_price', trim_scale(average_price(n.worth, n.size))::text,
    'realized_pnl', trim_scale(n.realized)::text,
    'at', to_char(n.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by n.first)
  from (
    select a.coin, a.leg, a.oid, min(a.seq) as first, sum(a.size) as size, sum(a.size * a.price) as worth, sum(a.closed_pnl) as realized,
      max(a.filled_at) as at
    from unnest(added) a
    where a.leg is not null
    group by a.coin, a.leg, a.oid
  ) n
$$;
