-- Stops the account of a payment, or lets it go on once its money is back. Stopped accounts are `eliminated` with the reason of the payment, which
-- `was` another until now. An account that the network has eliminated, for a reason of its own, stays so. One that goes on is compared with the
-- network before it trades, or asks for its subaccount if it never did; a creation that ended meanwhile decides as it would have. Notifies its
-- followers and those who wait for it. The caller holds the payment. Locks the account, then its event log.
create or replace function follow_money(of_payment text, was text, stop text) returns void
language plpgsql as $$
declare
  a prop_accounts;
  i intents;
begin
  select * into a from prop_accounts where payment_id = of_payment for no key update;
  if a.status in ('provisioning', 'evaluation', 'funded') and stop is not null then
    perform move_prop_account(a.id, a.status, 'eliminated', stop);
  elsif (a.status = 'eliminated' and a.failure_reason = was) is not true then
    return;
  elsif stop is not null then
    update prop_accounts set failure_reason = stop where id = a.id and failure_reason <> stop;
  else
    select * into i from intents where id = a.intent_id;
    if a.synthetic_hotkey is null and i.settled_at is not null and i.outcome -> 'problem' ->> 'code' <> 'V2_ACCOUNT_STOPPED' then
      update prop_accounts
      set status = 'subaccount_failed', status_at = now(),
        failure_reason = coalesce(i.outcome -> 'problem' ->> 'reason', lower((i.outcome -> 'problem' ->> 'code') collate "C"))
      where id = a.id;
    else
      perform resume_account(a.id);
    end if;
    perform emit_account_moved(a.id);
    perform pg_notify('settled', a.id);
  end if;
end $$;
