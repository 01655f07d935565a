-- The legs (tp, sl) of a pair about which a command has decided that was accepted after the given intent.
create or replace function newer_exits(of_trader text, of_pair text, than_intent uuid) returns setof text
language sql stable as $$
  select distinct p.leg
  from exit_plans p
  where p.trader = of_trader
    and p.pair in (of_pair, '*')
    and p.version > coalesce((select i.position from intents i where i.id = than_intent), 0)
$$;
