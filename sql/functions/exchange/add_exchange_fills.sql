-- Adds executions of a wallet, each once, in the order given: of a coin as their positions are chained. Returns the new ones.
create or replace function add_exchange_fills(wallet text, fills jsonb) returns setof exchange_fills
language sql as $$
  insert into exchange_fills (
    ex_wallet, trade_id, oid, coin, side, price, size, start_position, closed_pnl, fee, fee_token, is_liquidation, filled_at, cloid,
    direction, leg, exit_of
  )
  select wallet, f.trade_id, f.oid, f.coin, f.side, f.price, f.size, f.start_position, f.closed_pnl, f.fee, f.fee_token, f.is_liquidation,
    to_timestamp(f.at_ms / 1000.0), f.cloid, f.direction, f.leg, f.exit_of
  from rows from (jsonb_to_recordset(fills) as (
    trade_id bigint, oid text, coin text, side text, price numeric, size numeric, start_position numeric, closed_pnl numeric, fee numeric,
    fee_token text, is_liquidation boolean, at_ms bigint, cloid text, direction text, leg text, exit_of uuid
  )) with ordinality f
  order by f.ordinality
  on conflict on constraint exchange_fills_pkey do nothing
  returning *
$$;
