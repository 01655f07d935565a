-- Notifies the followers of an account, or the order's partner, that one of the orders is no longer open. Body of trigger
-- orders_emit_lifecycle. A partner's network verb that ends its order has an event of its own, which says so. Locks the event log.
create or replace function emit_lifecycle() returns trigger
language plpgsql as $$
begin
  perform record_account_event(a.id, 'order', order_event('lifecycle', new.id, null))
  from prop_accounts a
  where a.synthetic_hotkey = new.trader and a.owner = new.owner;
  if starts_with(new.owner, 'ptn_') and (new.venue <> 'netvenue' or coalesce(current_setting('service.ended_verbs', true), '') = '') then
    perform emit_event(p.id, 'order.updated', partner_order_event('lifecycle', new.id, null))
    from partners p
    where p.id = new.owner;
  end if;
  return null;
end $$;
