-- An execution as events show it to a partner. `order_id`: the partner's name of the order, or else this service's id of it; null for exits and for
-- orders that the partner did not place here.
create or replace function shown_fill(f exchange_fills, of_owner text) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'trade_id', f.trade_id::text,
    'ex_order_id', f.oid,
    'order_id', case when fill_cause(f, of_owner) = 'order' then (
      select coalesce(i.given_id, i.id)
      from intents i
      where i.id = substr(f.cloid, 3)::uuid
    ) end,
    'side', f.side,
    'price', trim_scale(f.price)::text,
    'size', trim_scale(f.size)::text,
    'fee', trim_scale(f.fee)::text,
    'fee_token', f.fee_token,
    'realized_pnl', trim_scale(f.closed_pnl)::text,
    'cause', fill_cause(f, of_owner),
    'time', to_char(f.filled_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
$$;
