-- Stops the account of a payment that was refunded or disputed. A dispute takes precedence over a refund, whichever is reported first.
-- Notifies those who wait for the account, and its followers if its status has changed. Locks the account, then its event log.
create or replace function stop_paid_account(of_payment text, reason text) returns void
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a
  from prop_accounts p
  where p.payment_id = of_payment
    and (p.status in ('provisioning', 'evaluation', 'funded')
      or (p.status = 'eliminated' and p.failure_reason = 'refunded' and reason = 'disputed'))
  for update;
  if not found then
    return;
  end if;
  update prop_accounts set status = 'eliminated', failure_reason = reason, status_at = now() where id = a.id;
  if a.status <> 'eliminated' then
    perform emit_account_moved(a.id);
  end if;
  perform pg_notify('settled', a.id);
end $$;
