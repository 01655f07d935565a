-- The data of a partner's event about an order: of a verb that has ended, or, without an intent, of the new state of a resting order. A
-- network trader is named by the number of its subaccount, as in Trader-ID. `position_changed`: the position in the pair is another one now,
-- or may be, because the effect of the verb is unknown. `fills`: the executions of an order at the exchange that are recorded by now, at most 100.
-- `order_id`, `ex_order_id`: at the exchange, the two names of the order, which a closing is as well; null for a verb about no single order.
create or replace function partner_order_event(verb text, order_id uuid, i intents) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'venue', m.venue,
    'trader_id', coalesce(i.request ->> 'subaccount_id', (
      select s.subaccount_id::text
      from subaccounts s
      where s.synthetic_hotkey = m.trader
    ), m.trader),
    'order_uuid', name_of_order(order_id, o, i),
    'intent_id', i.id,
    'action', verb,
    'status', case when m.is_done then 'completed' else 'failed' end,
    'lifecycle', o.lifecycle,
    'pair', coalesce(o.pair, i.request ->> 'trade_pair', i.request -> 'protection' ->> 'trade_pair', i.request ->> 'pair'),
    'code', i.outcome -> 'problem' ->> 'code',
    'message', coalesce(i.outcome -> 'problem' ->> 'message', i.outcome -> 'result' ->> 'message'),
    'executed', (
      select jsonb_object_agg(e.key, e.value)
      from jsonb_each(m.executed) e
      where e.key = any(m.shown)
    ),
    'fills', case when m.venue = 'exvenue' then (
      select coalesce(jsonb_agg(shown_fill(f, coalesce(o.owner, i.owner)) order by f.filled_at, f.seq), '[]')
      from (
        select *
        from executions_of_order(m.trader, m.executed ->> 'ex_order_id', o.id) x
        order by x.filled_at desc, x.seq desc
        limit 100
      ) f
    ) end,
    'position_changed', i.outcome -> 'problem' ->> 'effect' is not distinct from 'unknown' or m.is_done and (
      verb = 'close' or o.lifecycle is not distinct from 'filled' or coalesce((o.executed ->> 'filled_size')::numeric, 0) > 0
    )
  ) || case when m.venue = 'exvenue' then jsonb_build_object(
    'order_id', coalesce(o.given_id, o.id, case when i.kind = 'exchange/close' then coalesce(i.given_id, i.id) end)::text,
    'ex_order_id', m.executed ->> 'ex_order_id'
  ) || coalesce(m.cancelled, '{}') else '{}' end
  from (select 1) as always
  left join orders o on o.id = order_id
  cross join lateral (
    select coalesce(o.venue, venue_of(i.kind)) as venue,
      coalesce(o.trader, i.request ->> 'trader', i.request ->> 'wallet') as trader,
      i.id is null or i.state = 'succeeded' as is_done,
      coalesce(
        nullif(o.executed, 'null'::jsonb),
        nullif(i.outcome -> 'result' -> 'executed', 'null'::jsonb),
        case when i.kind = 'exchange/close' then (i.outcome -> 'result') - 'order_type' end
      ) as executed,
      (
        select jsonb_build_object('order_id', c.line -> 'order_id', 'ex_order_id', c.line -> 'ex_order_id')
          || jsonb_strip_nulls(jsonb_build_object('order_uuid', c.line -> 'order_id', 'pair', c.line -> 'pair'))
        from (select i.outcome -> 'result' -> 'results' -> 0 as line) c
        where i.kind = 'exchange/cancel' and i.request -> 'oids' <> '"all"' and i.outcome -> 'result' -> 'results' -> 1 is null
          and c.line ->> 'status' <> 'not_found'
      ) as cancelled,
      array[
        'order_type', 'quantity', 'value', 'leverage', 'price', -- of the network
        'ex_order_id', 'status', 'size', 'filled_size', 'fill_price', 'limit_price' -- of the exchange
      ] as shown
  ) m
$$;
