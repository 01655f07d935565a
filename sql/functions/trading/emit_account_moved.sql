-- Notifies the followers of an account that its status has changed. It is the last step of each function that changes the status. The
-- caller holds the account. Locks its event log until the commit.
create or replace function emit_account_moved(account text) returns void
language sql as $$
  select record_account_event(a.id, 'account', jsonb_build_object(
    'prop_account_id', a.id,
    'status', a.status,
    'account_size', a.account_size,
    'failure_reason', a.failure_reason
  ))
  from prop_accounts a
  where a.id = account
$$;
