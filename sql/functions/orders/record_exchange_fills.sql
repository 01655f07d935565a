-- Records executions of a wallet, each once, and what they say of its resting orders: the filled size, the average price, and the end of an
-- order that is filled. `ended` are resting orders that the exchange ended otherwise: [{id, filled_size}]; one whose executions are not all
-- recorded yet stays as it is. Emits an event for every order that has changed, and plans a reading of exits if one has ended. Returns how
-- many orders have changed. Locks the resting orders of the wallet.
create or replace function record_exchange_fills(wallet text, fills jsonb, ended jsonb) returns integer
language plpgsql as $$
declare
  recorded text[];
  executed jsonb;
  changed uuid[];
  changes jsonb;
begin
  with added as (
    insert into exchange_fills (
      ex_wallet, trade_id, oid, coin, side, price, size, start_position, closed_pnl, fee, fee_token, is_liquidation, filled_at
    )
    select wallet, f.trade_id, f.oid, f.coin, f.side, f.price, f.size, f.start_position, f.closed_pnl, f.fee, f.fee_token, f.is_liquidation,
      to_timestamp(f.at_ms / 1000.0)
    from jsonb_to_recordset(fills) as f (
      trade_id bigint, oid text, coin text, side text, price numeric, size numeric, start_position numeric, closed_pnl numeric, fee numeric,
      fee_token text, is_liquidation boolean, at_ms bigint
    )
    on conflict on constraint exchange_fills_pkey do nothing
    returning oid
  )
  select array_agg(distinct a.oid) into recorded from added a;
  if recorded is not null then
    perform state_fees(wallet, recorded);
  end if;

  update exchange_cursors c
  set read_to = greatest(c.read_to, (select max(f.filled_at) from exchange_fills f where f.ex_wallet = wallet))
  where c.ex_wallet = wallet;

  perform
  from orders o
  where o.trader = wallet and o.venue = 'exvenue' and o.lifecycle = 'resting'
  for update;

  select array_agg(n.id), jsonb_agg(jsonb_build_object(
    'id', n.id,
    'lifecycle', n.lifecycle,
    'executed', n.executed || jsonb_build_object(
      'status', case n.lifecycle when 'resting' then 'partial' else n.lifecycle end,
      'filled_size', trim_scale(n.filled)::text,
      'fill_price', trim_scale(round(n.worth / nullif(n.filled, 0), 10))::text
    )
  )), jsonb_agg(jsonb_build_object(
    'id', n.id,
    'filled', n.filled,
    'worth', n.worth,
    'was_filled', n.was_filled,
    'was_worth', n.was_worth
  )) into changed, changes, executed
  from (
    select o.id, o.executed, s.filled, s.worth, coalesce((o.executed ->> 'filled_size')::numeric, 0) as was_filled,
      coalesce((o.executed ->> 'filled_size')::numeric * (o.executed ->> 'fill_price')::numeric, 0) as was_worth, case
      when s.filled >= (o.executed ->> 'size')::numeric then 'filled'
      when e.filled_size <= s.filled then 'cancelled'
      else 'resting'
    end lifecycle
    from orders o
    cross join lateral (
      select coalesce(sum(f.size), 0) filled, coalesce(sum(f.size * f.price), 0) worth
      from exchange_fills f
      where f.ex_wallet = wallet and f.oid = o.executed ->> 'ex_order_id'
    ) s
    left join jsonb_to_recordset(ended) as e (id uuid, filled_size numeric) on e.id = o.id
    where o.trader = wallet and o.venue = 'exvenue' and o.lifecycle = 'resting'
  ) n
  where n.lifecycle <> 'resting' or n.filled > n.was_filled;

  if changed is null then
    return 0;
  end if;
  perform state_exchange_fills(wallet, executed);
  if cardinality(change_orders(changes)) > 0 then
    perform plan_exit_watch(0);
  end if;
  perform emit_ended('{}', changed);
  return cardinality(changed);
end $$;
