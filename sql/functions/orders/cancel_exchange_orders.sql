-- Marks orders of a wallet as cancelled by a command, by the exchange's numbers: their exits end with them and are not wanted any more. What is
-- recorded of their executions by now is counted: those that were recorded before their order was are of no later reading. Returns the orders that
-- are no longer open by this. Locks the orders.
create or replace function cancel_exchange_orders(wallet text, numbers text[], by_intent uuid default null) returns uuid[]
language plpgsql as $$
declare
  closed uuid[];
begin
  -- the venue ends waiting exits with the rest of their order, and what was filled may be unprotected
  perform make_wallet_due(wallet, 0), plan_exit_watch(0)
  where exists (
    select
    from orders o
    where o.trader = wallet and o.exchange_number = any(numbers)
      and o.has_waiting_triggers
  );
  perform
  from orders o
  where o.trader = wallet and o.exchange_number = any(numbers)
  order by o.id
  for update; -- what they say is read after the lock: executions may be stored at the same time
  closed := change_orders(coalesce((
    select jsonb_agg(jsonb_build_object(
      'id', o.id, 'lifecycle', 'cancelled', 'executed', o.executed || '{"status": "cancelled"}',
      'by_intent', cancel_exchange_orders.by_intent,
      'exits', case when exits_of_terms(terms_of(o.id, o.terms), null, true) <> '[]' then '[]'::jsonb end
    ) order by o.id)
    from orders o
    where o.trader = wallet and o.exchange_number = any(numbers)
  ), '[]'));
  perform record_late_fills(wallet, numbers);
  return closed;
end $$;
