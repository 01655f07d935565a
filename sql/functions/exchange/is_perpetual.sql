-- Whether a coin is a perpetual, by its name. Spot pairs and outcomes have no positions: see venues/exchange.md#executions.
create or replace function is_perpetual(coin text) returns boolean
language sql immutable as $$
  select coin ~* '^[a-z0-9][^/@#]*$'
$$;
