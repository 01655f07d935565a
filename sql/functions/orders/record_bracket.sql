-- Records an order that protects a position, or its new terms. Returns the orders that are no longer open by this: none.
create or replace function record_bracket(bracket uuid, of_owner text, of_trader text, at_venue text, its_terms jsonb) returns uuid[]
language sql as $$
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle)
  values (bracket, 'netvenue', of_owner, of_trader, its_terms ->> 'trade_pair', at_venue, its_terms, 'resting')
  on conflict (id) do update set terms = excluded.terms, lifecycle = 'resting'
  where orders.trader = excluded.trader;

  select '{}'::uuid[]
$$;
