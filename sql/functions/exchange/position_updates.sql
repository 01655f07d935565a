-- The data of position.updated for executions of a wallet, one for each perpetual and 100 executions, as one of its partners may know them: those of
-- a time without a process are thousands, and a receiver takes no body of megabytes. Null without any.
create or replace function position_updates(wallet text, added exchange_fills[], of_owner text) returns jsonb[]
language sql stable as $$
  select array_agg(jsonb_build_object(
    'venue', 'exvenue',
    'trader_id', wallet,
    'pair', exchange_pair(n.coin),
    'side', case when m.size > 0 then 'long' when m.size < 0 then 'short' end,
    'size', trim_scale(abs(m.size))::text,
    'previous_size', trim_scale(abs(n.before))::text,
    'change', case
      when m.size = 0 then 'closed'
      when n.before = 0 then 'opened'
      when sign(n.before) <> sign(m.size) then 'reversed'
      when abs(m.size) < abs(n.before) then 'reduced'
      else 'increased'
    end,
    'cause', n.cause,
    'realized_pnl', trim_scale(n.realized)::text,
    'fees', trim_scale(n.fees)::text,
    'fills', n.fills,
    'at', to_char(m.filled_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by n.first, n.part)
  from (
    select a.coin, a.first, a.part, a.parts, max(a.filled_at) as filled_at,
      (array_agg(round(a.start_position, 6) order by a.filled_at, a.seq))[1] as before,
      (array_agg(position_after(a.fill) order by a.filled_at desc, a.seq desc))[1] as after,
      sum(a.closed_pnl) as realized, sum(a.fee) as fees,
      (array_agg(
        fill_cause(a.fill, of_owner)
        order by array_position(array['liquidation', 'stop_loss', 'take_profit', 'elsewhere', 'order'], fill_cause(a.fill, of_owner))
      ))[1] as cause,
      jsonb_agg(shown_fill(a.fill, of_owner) order by a.filled_at, a.seq) as fills
    from (
      select x as fill, x.coin, x.seq, x.filled_at, x.start_position, x.closed_pnl, x.fee, min(x.seq) over (partition by x.coin) as first,
        (row_number() over (partition by x.coin order by x.filled_at, x.seq) - 1) / 100 as part,
        (count(*) over (partition by x.coin) - 1) / 100 as parts
      from unnest(added) x
      where is_perpetual(x.coin)
    ) a
    group by a.coin, a.first, a.part, a.parts
  ) n
  join exchange_positions p on p.ex_wallet = wallet and p.coin = n.coin
  cross join lateral ( -- after the last ones it is the position as known: newer executions may have been streamed
    select case when n.part = n.parts then p.size else n.after end as size,
      case when n.part = n.parts then p.filled_at else n.filled_at end as filled_at
  ) m
$$;
