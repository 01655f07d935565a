-- Records what a later read showed of the exits of an exchange order that were not found before (`report`), and submits what follows (a batch as for
-- accept_intents). No effect if they were found meanwhile. Locks the trader (lock_trader), then the order, then the wallet's lane.
create or replace function note_exits(of_order uuid, report jsonb, follow_ups jsonb) returns void
language plpgsql as $$
begin
  perform lock_trader(o.venue, o.trader) from orders o where o.id = of_order;
  update orders
  set executed = executed || report
  where id = of_order and executed ->> 'trigger_status' = 'pending_parent_fill';
  if found then
    perform accept_intents(follow_ups);
  end if;
end $$;
