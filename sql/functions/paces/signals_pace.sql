-- The name of the pace of a trader's signals at the network, as `paceOf` in src/capacity/network.ts makes it.
create or replace function signals_pace(trader text) returns text
language sql immutable as $$
  select 'signals:' || trader
$$;
