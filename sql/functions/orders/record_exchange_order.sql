-- Records the execution report of a placement, and submits its follow-up intents (a batch as for accept_intents) if a later command about all
-- pairs has ended the order already, which could not see it yet. Returns the orders that are no longer open by this.
create or replace function record_exchange_order(placement uuid, wallet text, state text, report jsonb, follow_ups jsonb) returns uuid[]
language plpgsql as $$
declare
  closed uuid[];
begin
  if exists (select newer_exits(wallet, '*', placement)) then
    perform accept_intents(follow_ups);
  end if;
  if state = 'resting' then
    perform make_wallet_due(wallet, 5);
  elsif report ->> 'trigger_status' = 'pending_parent_fill' then
    perform make_wallet_due(wallet, 0);
    perform plan_exit_watch(0);
  else
    perform make_wallet_due(wallet, 1);
  end if;
  closed := change_orders(jsonb_build_array(jsonb_build_object('id', placement, 'lifecycle', state, 'executed', report)));
  perform state_fees(wallet, array[report ->> 'ex_order_id']);
  return closed;
end $$;
