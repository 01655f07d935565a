-- The data of a partner's event about an order: of a verb that has ended, or, without an intent, of the new state of a resting order. A
-- network trader is named by the number of its subaccount, as in Trader-ID. `position_changed`: the position in the pair is another one now,
-- or may be, because the effect of the verb is unknown. `fills`: the executions of an order at the exchange that are recorded by now, at most 100.
-- `o`: the row of the order that the verb is about (verb_subject), null if there is none. `order_id`, `ex_order_id`: at the exchange, the two names
-- of the order, which a closing is as well; null for a verb about no single order.
create or replace function partner_order_event(verb text, subject uuid, o orders, i intents) returns jsonb
language plpgsql stable as $$
declare
  at_venue constant text := coalesce(o.venue, venue_of(i.kind));
  of_trader constant text := coalesce(o.trader, i.request ->> 'trader', i.request ->> 'wallet');
  result constant jsonb := i.outcome -> 'result';
  problem constant jsonb := i.outcome -> 'problem';
  is_done constant boolean := i.id is null or i.state = 'succeeded';
  executed constant jsonb := coalesce(
    nullif(o.executed, 'null'::jsonb),
    nullif(result -> 'executed', 'null'::jsonb),
    case when i.kind = 'exchange/close' then result - 'order_type' end
  );
  event constant jsonb := jsonb_build_object(
    'venue', at_venue,
    'trader_id', coalesce(i.request ->> 'subaccount_id', (
      select s.subaccount_id::text
      from subaccounts s
      where s.synthetic_hotkey = of_trader
    ), of_trader),
    'order_uuid', name_of_order(subject, o, i),
    'intent_id', i.id,
    'action', verb,
    'status', case when is_done then 'completed' when is_undecided(i.outcome) then 'unknown' else 'failed' end,
    'lifecycle', o.lifecycle,
    'pair', coalesce(o.pair, i.request ->> 'trade_pair', i.request -> 'protection' ->> 'trade_pair', i.request ->> 'pair'),
    'code', problem ->> 'code',
    'message', coalesce(problem ->> 'message', result ->> 'message'),
    'executed', (
      select jsonb_object_agg(e.key, e.value)
      from jsonb_each(executed) e
      where e.key in (
        'order_type', 'quantity', 'value', 'leverage', 'price', -- of the network
        'ex_order_id', 'status', 'size', 'filled_size', 'fill_price', 'limit_price' -- of the exchange
      )
    ),
    'fills', null,
    'position_changed', is_undecided(i.outcome) or is_done and (
      verb = 'close' or o.lifecycle is not distinct from 'filled' or coalesce((o.executed ->> 'filled_size')::numeric, 0) > 0
    )
  );
begin
  if at_venue is distinct from 'exvenue' then
    return event;
  end if;
  return event || jsonb_build_object(
    'order_id', coalesce(o.given_id, o.id, case when i.kind = 'exchange/close' then coalesce(i.given_id, i.id) end)::text,
    'ex_order_id', executed ->> 'ex_order_id',
    'fills', (
      select coalesce(jsonb_agg(shown_fill(f, coalesce(o.owner, i.owner)) order by f.filled_at, f.seq), '[]')
      from (
        select *
        from executions_of_order(of_trader, executed ->> 'ex_order_id', o.id) x
        order by x.filled_at desc, x.seq desc
        limit 100
      ) f
    )
  ) || coalesce((
    select jsonb_build_object('order_id', c.line -> 'order_id', 'ex_order_id', c.line -> 'ex_order_id')
      || jsonb_strip_nulls(jsonb_build_object('order_uuid', c.line -> 'order_id', 'pair', c.line -> 'pair'))
    from (select result -> 'results' -> 0 as line) c
    where i.kind = 'exchange/cancel' and i.request -> 'oids' <> '"all"' and result -> 'results' -> 1 is null
      and c.line ->> 'status' <> 'not_found'
  ), '{}');
end $$;
