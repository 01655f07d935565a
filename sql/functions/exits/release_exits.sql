-- Records that a command cancelled exits at the exchange, by their numbers. A command that was accepted later has precedence.
create or replace function release_exits(of_trader text, cancelled text[], by_intent uuid) returns void
language sql as $$
  update exit_plans p
  set version = i.position, intent_id = i.id, oid = null
  from intents i
  where i.id = by_intent
    and p.trader = of_trader
    and p.oid = any(cancelled)
    and p.version < i.position
$$;
