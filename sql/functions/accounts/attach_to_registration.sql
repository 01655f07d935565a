-- Gives a partner the subaccount that a registration of its has made, once only an operator can decide this: it exists at the network and has no
-- owner. The registration stays ended as it did; the partner gets the event of the subaccount. Verdicts: done | unknown (no
-- registration of a partner) | not_undecided (it is open, or its end says what it did) | taken (the subaccount has an owner, or the registration its
-- subaccount).
create or replace function attach_to_registration(
  registration uuid, by_operator text, made jsonb, because text, noted jsonb default '{}'
) returns text
language plpgsql as $$
declare
  i intents;
begin
  select * into i
  from intents r
  where r.id = registration and r.kind = 'accounts/provision' and r.request ->> 'prop_account_id' is null;
  if i.id is null then
    return 'unknown';
  elsif i.settled_at is null or not is_undecided(i.outcome) then
    return 'not_undecided';
  end if;
  insert into subaccounts (
    synthetic_hotkey, entity_hotkey, subaccount_id, subaccount_uuid, owner, intent_id, asset_class, account_size, ex_address, payout_address,
    link_proof, status
  )
  select m.synthetic_hotkey, m.entity_hotkey, m.subaccount_id, m.subaccount_uuid, i.owner, i.id, m.asset_class, m.account_size, m.ex_address,
    m.payout_address, i.request ->> 'link_proof', m.status
  from jsonb_populate_record(null::subaccounts, made) m
  on conflict do nothing;
  if not found then
    return 'taken';
  end if;
  perform record_action(by_operator, 'attach', i.id::text, null, null, because,
    noted || jsonb_build_object('verdict', 'done', 'synthetic_hotkey', made ->> 'synthetic_hotkey', 'owner', i.owner));
  return 'done';
end $$;
