-- Records a created subaccount: ends its intent, writes its row, and updates the account it was created for, if any. That account is tradeable once
-- the network reports it active. Frees the slot, as emit_ended does after it: the statement of the previous release ends with this call.
create or replace function record_subaccount(intent uuid, held_fence integer, said jsonb, made jsonb) returns void
language plpgsql as $$
declare
  asker text;
  account record;
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  select i.owner into strict asker from intents i where i.id = intent;
  insert into subaccounts (
    synthetic_hotkey, entity_hotkey, subaccount_id, subaccount_uuid, owner, intent_id, asset_class, account_size,
    ex_address, payout_address, link_proof, status
  )
  select m.synthetic_hotkey, m.entity_hotkey, m.subaccount_id, m.subaccount_uuid, asker, intent, m.asset_class, m.account_size,
    m.ex_address, m.payout_address, m.link_proof, m.status
  from jsonb_populate_record(null::subaccounts, made) m;

  update prop_accounts
  set synthetic_hotkey = made ->> 'synthetic_hotkey', upstream_status = made ->> 'status', sync_after = now()
  where intent_id = intent
  returning id, status into account;
  if account.status = 'provisioning' then
    if made ->> 'status' in ('active', 'admin') then
      perform move_prop_account(account.id, 'provisioning', 'evaluation', null);
    else
      perform plan_sync(account.id, 0.3);
    end if;
  end if;
  perform leave_slots(array[intent]);
end $$;
