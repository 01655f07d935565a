-- Records a command about exits: `decided` maps each leg it is about (tp, sl) to the exchange's number of the new exit, or to null if the
-- command ends that exit. Pair * stands for all pairs. A command that was accepted later has precedence. Returns the legs about which one has
-- already decided. Safe to repeat: what was replaced stays noted until its cancellation is submitted (record_exchange_exits). Locks the rows of the
-- pair in the order of their legs.
create or replace function decide_exits(of_trader text, of_pair text, decided jsonb, by_intent uuid) returns setof text
language sql as $$
  with command as (
    select i.position as version
    from intents i
    where i.id = by_intent
  ), taken as (
    insert into exit_plans as p (trader, pair, leg, version, intent_id, oid)
    select of_trader, of_pair, d.leg, c.version, by_intent, d.oid
    from command c
    cross join jsonb_each_text(decided) as d (leg, oid)
    order by d.leg
    on conflict (trader, pair, leg) do update
    set version = excluded.version, intent_id = excluded.intent_id, oid = excluded.oid, decided_at = now(),
      replaced = case when p.intent_id = excluded.intent_id then p.replaced else array_remove(p.replaced || p.oid, null) end
    where p.version <= excluded.version
    returning p.leg
  )
  select d.leg
  from jsonb_object_keys(decided) as d (leg)
  where d.leg not in (select t.leg from taken t)
    or exists (
      select
      from exit_plans a
      where a.trader = of_trader and a.pair = '*' and a.leg = d.leg
        and a.version > (select c.version from command c)
    )
$$;
