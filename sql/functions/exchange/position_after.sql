-- The signed position that an execution leaves. Positions of the exchange have float residue, and no perpetual has sizes with more than six
-- decimals: see venues/exchange.md#executions.
create or replace function position_after(f exchange_fills) returns numeric
language sql immutable as $$
  select round(f.start_position + case f.side when 'buy' then f.size else -f.size end, 6)
$$;
