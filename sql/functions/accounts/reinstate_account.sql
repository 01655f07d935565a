-- Lets an account trade again that a refund or dispute has stopped. An account that the network has eliminated stays eliminated. Verdicts:
-- done | unknown | not_stopped.
create or replace function reinstate_account(account text, by_operator text, because text) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a from prop_accounts where id = account for update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'eliminated' or a.failure_reason not in ('refunded', 'disputed') or a.synthetic_hotkey is null then
    return 'not_stopped';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, status_at = now(), sync_after = now()
  where id = account;
  perform plan_sync(account, 0);
  perform emit_account_moved(account);
  perform record_action(by_operator, 'reinstate', null, a.payment_id, account, because,
    jsonb_build_object('verdict', 'done', 'was', a.failure_reason));
  return 'done';
end $$;
