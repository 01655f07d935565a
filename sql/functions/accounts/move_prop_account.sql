-- Changes the status of an account, and notifies its followers and those who wait for it to leave provisioning. False if its status is no
-- longer `from_status`. Locks the account, then its event log.
create or replace function move_prop_account(account text, from_status text, to_status text, reason text) returns boolean
language plpgsql as $$
begin
  update prop_accounts
  set status = to_status, failure_reason = coalesce(reason, failure_reason), status_at = now()
  where id = account and status = from_status;
  if not found then
    return false;
  end if;
  perform emit_account_moved(account);
  perform pg_notify('settled', account);
  return true;
end $$;
