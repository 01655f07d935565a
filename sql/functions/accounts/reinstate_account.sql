-- Lets an account trade again that a refund, a dispute or an unreadable event has stopped: the operator accepts the losses as they are now, and
-- closes those events. Each further loss stops it again. An account that the network has eliminated stays eliminated. Locks the payment, then the
-- account. Verdicts: done | unknown | not_stopped | refunding (a refund is under way, or its effect unknown).
create or replace function reinstate_account(account text, by_operator text, because text) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  perform lock_payment_of(account);
  select * into a from prop_accounts where id = account for no key update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'eliminated' or not exists (
    select from payments p where p.id = a.payment_id and p.stopped_for = a.failure_reason
  ) then
    return 'not_stopped';
  elsif refund_state(a.payment_id) in ('under_way', 'unknown') then
    return 'refunding';
  end if;
  update payment_losses set accepted_cents = amount_cents where payment_id = a.payment_id and is_live;
  update processor_events
  set closed_at = now(), closed_by = by_operator, closed_why = because
  where payment_id = a.payment_id and outcome = 'unreadable' and closed_at is null;
  perform settle_money(a.payment_id);
  perform record_action(by_operator, 'reinstate', null, a.payment_id, account, because,
    jsonb_build_object('verdict', 'done', 'was', a.failure_reason));
  return 'done';
end $$;
