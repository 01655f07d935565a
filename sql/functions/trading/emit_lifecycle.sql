-- Notifies the followers of an account that one of its orders is no longer open. Body of trigger orders_emit_lifecycle. Locks the account's
-- event log.
create or replace function emit_lifecycle() returns trigger
language plpgsql as $$
begin
  perform record_account_event(a.id, 'order', order_event('lifecycle', new.id, null))
  from prop_accounts a
  where a.synthetic_hotkey = new.trader and a.owner = new.owner;
  return null;
end $$;
