-- Corrects the recorded status of the exits of exchange orders: `shown` is [{id, trigger_status, trigger_error}]. No effect on orders whose exits
-- are not found yet. Locks the traders (lock_trader), then the orders.
create or replace function correct_exits(shown jsonb) returns void
language sql as $$
  select lock_trader(t.venue, t.trader)
  from (
    select distinct o.venue, o.trader
    from orders o
    where o.id in (select s.id from jsonb_to_recordset(shown) as s (id uuid))
    order by 1, 2
  ) t;
  select
  from orders o
  where o.id in (select s.id from jsonb_to_recordset(shown) as s (id uuid))
  order by o.id
  for update; -- what they say is read after the lock: executions may be stored at the same time
  select change_orders(coalesce(jsonb_agg(jsonb_build_object(
    'id', o.id, 'executed', o.executed || jsonb_build_object('trigger_status', s.trigger_status, 'trigger_error', s.trigger_error)
  ) order by o.id), '[]'))
  from jsonb_to_recordset(shown) as s (id uuid, trigger_status text, trigger_error text)
  join orders o on o.id = s.id
  where o.venue = 'exvenue' and o.executed ->> 'trigger_status' <> 'pending_parent_fill'
    and o.executed ->> 'trigger_status' <> s.trigger_status
$$;
