-- Records an order that protects a position, or its new terms, and its state: lifecycle, executed and protection, as the network shows them.
-- Returns the orders that are no longer open by this.
create or replace function record_bracket(
  bracket uuid, of_owner text, of_trader text, at_venue text, its_terms jsonb, its_state jsonb default '{"lifecycle": "resting"}'
) returns uuid[]
language plpgsql as $$
declare
  was_resting boolean;
begin
  select o.lifecycle = 'resting' into was_resting from orders o where o.id = bracket and o.trader = of_trader;
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed, protection)
  values (
    bracket, 'netvenue', of_owner, of_trader, its_terms ->> 'trade_pair', at_venue, its_terms, its_state ->> 'lifecycle',
    nullif(its_state -> 'executed', 'null'::jsonb), nullif(its_state -> 'protection', 'null'::jsonb)
  )
  on conflict (id) do update
  set terms = excluded.terms, lifecycle = excluded.lifecycle, executed = excluded.executed, protection = excluded.protection
  where orders.trader = excluded.trader;
  return case when was_resting and its_state ->> 'lifecycle' <> 'resting' then array[bracket] else '{}' end;
end $$;
