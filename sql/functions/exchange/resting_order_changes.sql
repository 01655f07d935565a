-- What the recorded executions of a wallet say of its resting orders: `changes` for change_orders (the filled size, the average price, and the end
-- of an order that is filled) and `executed` for state_exchange_fills. `ended` are resting orders that the exchange has ended: [{id, number,
-- filled_size, by_command, is_filled}]; one whose executions are not all recorded yet stays as it is. `filled_size` is that of the order under this
-- number, and null is the number of one without a record. With `is_filled` its executions are the whole of it: the exchange may have shrunk it with
-- its position. Of an order that its trader has changed at the exchange, perhaps its size too, only `ended` says that it has ended. What is filled
-- wants the exits of its order, unless a command has ended it. Both null without a change. Locks the resting orders of the wallet.
create or replace function resting_order_changes(wallet text, ended jsonb, out changes jsonb, out executed jsonb)
language plpgsql as $$
begin
  perform
  from orders o
  where o.trader = wallet and o.venue = 'exvenue' and o.is_resting
  order by o.id
  for update;

  select jsonb_agg(jsonb_build_object(
    'id', n.id,
    'lifecycle', n.lifecycle,
    'executed', n.executed || jsonb_build_object(
      'status', case n.lifecycle when 'resting' then 'partial' else n.lifecycle end,
      'size', trim_scale(n.size)::text,
      'filled_size', trim_scale(n.filled)::text,
      'fill_price', trim_scale(average_price(n.worth, n.filled))::text
    ),
    'exits', case
      when n.exits = '[]' or n.lifecycle = 'resting' then null
      when n.filled = 0 or n.by_command then '[]'
      else n.exits
    end
  )), jsonb_agg(jsonb_build_object(
    'id', n.id,
    'filled', n.filled,
    'worth', n.worth,
    'was_filled', n.was_filled,
    'was_worth', n.was_worth
  )) into changes, executed
  from (
    select o.id, o.executed, s.filled, s.worth, e.by_command, exits_of_terms(terms_of(o.id, o.terms), trim_scale(s.filled)::text, false) as exits,
      case when s.is_changed and e.is_filled then s.filled else greatest(k.size, s.filled) end as size,
      k.known as was_filled, s.known_worth as was_worth, case
      when s.filled >= k.size and (not s.is_changed or e.id is not null and e.number is null) then 'filled'
      when e.is_filled and s.filled > 0 and e.filled_size <= u.filled then 'filled'
      when e.filled_size <= u.filled and e.is_filled is not true then 'cancelled'
      else 'resting'
    end lifecycle
    from orders o
    cross join lateral (
      select coalesce((o.executed ->> 'filled_size')::numeric, 0) as known, (o.executed ->> 'fill_price')::numeric as price,
        (o.executed ->> 'size')::numeric as size
    ) k
    cross join lateral sum_executions(wallet, o.executed ->> 'ex_order_id', k.known, k.price, o.id) s
    left join jsonb_to_recordset(ended) as e (id uuid, number text, filled_size numeric, by_command boolean, is_filled boolean) on e.id = o.id
    cross join lateral (
      select case when e.number is null then s.filled else (
        select coalesce(sum(f.size), 0)
        from exchange_fills f
        where f.ex_wallet = wallet and f.oid = e.number
      ) end as filled
    ) u
    where o.trader = wallet and o.venue = 'exvenue' and o.is_resting
  ) n
  where n.lifecycle <> 'resting' or n.filled > n.was_filled;
end $$;
