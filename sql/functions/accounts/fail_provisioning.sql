-- Fails the account whose subaccount was not created, for any reason. An account that the creation found stopped, and whose money has come back
-- since, requests its subaccount again. A step of follow_ending. Locks the account before it reads its status, which the return of the money may be
-- changing (follow_money reads the end of the creation under the same lock), then its event log.
create or replace function fail_provisioning(intent uuid) returns void
language plpgsql as $$
declare
  problem jsonb := (select i.outcome -> 'problem' from intents i where i.id = intent);
  new_intent uuid := gen_random_uuid();
begin
  perform from prop_accounts a where a.intent_id = intent for no key update;
  if problem ->> 'code' = 'V2_ACCOUNT_STOPPED' then
    update prop_accounts a set intent_id = new_intent where a.intent_id = intent and a.status = 'provisioning';
    perform ask_for_subaccount(a.id, new_intent, 3600, intent) from prop_accounts a where a.intent_id = new_intent;
  else
    perform move_prop_account(a.id, 'provisioning', 'subaccount_failed', coalesce(problem ->> 'reason', lower((problem ->> 'code') collate "C")))
    from prop_accounts a
    where a.intent_id = intent;
  end if;
end $$;
