-- Fails the account whose subaccount was not created, for any reason. A step of follow_ending. Locks the account, then its event log.
create or replace function fail_provisioning(intent uuid) returns void
language plpgsql as $$
begin
  perform move_prop_account(a.id, 'provisioning', 'subaccount_failed',
    coalesce(i.outcome -> 'problem' ->> 'reason', lower(i.outcome -> 'problem' ->> 'code')))
  from intents i
  join prop_accounts a on a.intent_id = i.id
  where i.id = intent;
end $$;
