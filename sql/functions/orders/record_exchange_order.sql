-- Records the execution report of a placement, the exits that it wants, except those about which a later command has decided, and its executions that
-- are recorded already. If a later command about all pairs, which could not see the order yet, has ended it, submits its follow-up intents (a batch
-- as for accept_intents). Returns the orders that are no longer open by this. Locks the cursor of the wallet, then the order.
create or replace function record_exchange_order(placement uuid, wallet text, state text, report jsonb, follow_ups jsonb) returns uuid[]
language plpgsql as $$
declare
  closed uuid[];
  wanted jsonb;
  early record;
begin
  if exists (select newer_exits(wallet, '*', placement)) then
    perform accept_intents(follow_ups);
  end if;
  perform from exchange_cursors c where c.ex_wallet = wallet for update; -- executions that are recorded now see the order, or are seen here
  if state = 'resting' then
    -- one with exits may be filled in part already, and what is filled is without them while it rests
    perform make_wallet_due(wallet, case when report ->> 'trigger_status' = 'pending_parent_fill' then 1 else 5 end);
  elsif report ->> 'trigger_status' = 'pending_parent_fill' then
    perform make_wallet_due(wallet, 0);
    perform plan_exit_watch(0);
  else
    perform make_wallet_due(wallet, 1);
  end if;
  select jsonb_agg(l.entry) into wanted
  from orders o
  cross join jsonb_array_elements(exits_of_terms(terms_of(o.id, o.terms), report ->> 'filled_size', state = 'resting')) as e (entry)
  cross join lateral without_legs(e.entry, array(
    select case n.leg when 'tp' then 'take_profit' else 'stop_loss' end
    from newer_exits(wallet, o.pair, placement) as n (leg)
  )) as l (entry)
  where o.id = placement and state <> 'cancelled' and l.entry is not null;
  closed := change_orders(jsonb_build_array(jsonb_build_object(
    'id', placement, 'lifecycle', state, 'executed', report, 'exits', wanted, 'by_intent', placement
  )));
  perform state_fees(wallet, array[report ->> 'ex_order_id']);
  if state = 'resting' and exists (select from executions_of_order(wallet, report ->> 'ex_order_id', placement)) then
    select * into early from resting_order_changes(wallet, '[]');
    if early.changes is not null then
      perform state_exchange_fills(wallet, early.executed);
      closed := closed || change_orders(early.changes);
    end if;
  elsif report ->> 'fill_price' is null then
    perform record_late_fills(wallet, array[report ->> 'ex_order_id']);
  end if;
  return closed;
end $$;
