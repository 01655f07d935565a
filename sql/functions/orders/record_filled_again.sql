-- Records the sum of what the network executed of an order that it filled once more after its fill was reported, states what was added, at its
-- average price, and emits the change. No effect if the sum is recorded already. Locks the trader (lock_trader), then the
-- order; its last lock is the event log.
create or replace function record_filled_again(of_order uuid, said jsonb) returns void
language plpgsql as $$
declare
  was orders;
begin
  perform lock_trader(o.venue, o.trader) from orders o where o.id = of_order;
  select * into was
  from orders o
  where o.id = of_order
  for update;
  if was.id is null or was.executed -> 'quantity' = said -> 'quantity' then
    return;
  end if;
  perform change_orders(jsonb_build_array(jsonb_build_object('id', of_order, 'executed', said)));
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, side, quantity, price, progress)
  select statement_id(was.owner, 'fill', a.account, a.reference, d.filled, of_order), was.owner, 'fill', 'executed', clock_timestamp(), was.venue,
    a.account, a.reference, was.pair, said ->> 'order_type', d.added, average_price(d.worth, d.added), d.filled
  from (
    select coalesce((
        select p.id
        from prop_accounts p
        where p.synthetic_hotkey = was.trader and p.owner = was.owner
        limit 1
      ), s.subaccount_id::text) as account, coalesce(was.given_id, of_order)::text as reference
    from subaccounts s
    where s.synthetic_hotkey = was.trader
  ) a
  cross join lateral (
    select n.filled, n.filled - n.was_filled as added,
      n.filled * (said ->> 'price')::numeric - n.was_filled * (was.executed ->> 'price')::numeric as worth
    from (
      select abs((said ->> 'quantity')::numeric) as filled, abs((was.executed ->> 'quantity')::numeric) as was_filled
    ) n
  ) d
  where d.added > 0 and d.worth is not null -- else what was executed before is not stated, and emit_ended states all of it
  on conflict (id) do nothing;
  perform emit_ended('{}', array[of_order]);
end $$;
