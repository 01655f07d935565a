-- Records that a command cancelled exits at the exchange, by their numbers, and, of those that are wanted, by their order and leg (`withdrawn`:
-- [{pair, order_uuid, leg}]): they are not wanted any more. A command that was accepted later has precedence. Locks the trader
-- (lock_trader), then the plans, then the wanted exits.
create or replace function release_exits(of_trader text, cancelled text[], by_intent uuid, withdrawn jsonb default '[]') returns void
language sql as $$
  select lock_trader('exvenue', of_trader);
  update exit_plans p
  set version = i.position, intent_id = i.id, oid = null
  from intents i
  where i.id = by_intent
    and p.trader = of_trader
    and p.oid = any(cancelled)
    and p.version < i.position;
  select want_exits(w.venue, w.owner, w.trader, w.pair, w.order_uuid, by_intent, w.exits)
  from (
    select w.venue, coalesce(e.entry ->> 'owner', w.owner) as owner, w.trader, w.pair, d.order_uuid,
      coalesce(jsonb_agg(l.entry - '{version,order_uuid}'::text[]) filter (where l.entry is not null), '[]') as exits
    from (
      select d.pair, d.order_uuid, array_agg(d.leg) as legs
      from jsonb_to_recordset(withdrawn) as d (pair text, order_uuid uuid, leg text)
      group by d.pair, d.order_uuid
    ) d
    join wanted_exits w on w.venue = 'exvenue' and w.trader = of_trader and w.pair = d.pair
    cross join jsonb_array_elements(w.wanted) as e (entry)
    cross join lateral without_legs(e.entry, d.legs) as l (entry)
    where e.entry ->> 'order_uuid' = d.order_uuid::text
    group by w.venue, coalesce(e.entry ->> 'owner', w.owner), w.trader, w.pair, d.order_uuid
    order by w.pair, d.order_uuid
  ) w
$$;
