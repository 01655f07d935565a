-- The data of position.updated for executions of a wallet, one for each perpetual, as one of its partners may know them. Null without any.
create or replace function position_updates(wallet text, added exchange_fills[], of_owner text) returns jsonb[]
language sql stable as $$
  select array_agg(jsonb_build_object(
    'venue', 'exvenue',
    'trader_id', wallet,
    'pair', exchange_pair(n.coin),
    'side', case when p.size > 0 then 'long' when p.size < 0 then 'short' end,
    'size', trim_scale(abs(p.size))::text,
    'previous_size', trim_scale(abs(n.before))::text,
    'change', case
      when p.size = 0 then 'closed'
      when n.before = 0 then 'opened'
      when sign(n.before) <> sign(p.size) then 'reversed'
      when abs(p.size) < abs(n.before) then 'reduced'
      else 'increased'
    end,
    'cause', n.cause,
    'realized_pnl', trim_scale(n.realized)::text,
    'fees', trim_scale(n.fees)::text,
    'fills', n.fills,
    'at', to_char(p.filled_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by n.first)
  from (
    select a.coin, min(a.seq) as first, (array_agg(round(a.start_position, 6) order by a.filled_at, a.seq))[1] as before,
      sum(a.closed_pnl) as realized, sum(a.fee) as fees,
      (array_agg(
        fill_cause(a, of_owner)
        order by array_position(array['liquidation', 'stop_loss', 'take_profit', 'elsewhere', 'order'], fill_cause(a, of_owner))
      ))[1] as cause,
      jsonb_agg(shown_fill(a, of_owner) order by a.filled_at, a.seq) as fills
    from unnest(added) a
    where is_perpetual(a.coin)
    group by a.coin
  ) n
  join exchange_positions p on p.ex_wallet = wallet and p.coin = n.coin
$$;
