-- Accepts the intent that creates an account's subaccount at the network.
create or replace function ask_for_subaccount(account text, new_intent uuid, deadline_s double precision) returns void
language plpgsql as $$
begin
  perform accept_intents(jsonb_build_array(jsonb_build_object(
    'n', 0, 'id', new_intent, 'kind', 'accounts/provision', 'owner', a.owner, 'deadline_s', deadline_s,
    'digest', encode(sha256(convert_to(account, 'utf8')), 'hex'),
    'request', jsonb_build_object(
      'prop_account_id', a.id,
      'subaccount', jsonb_build_object('assetClass', a.asset_class, 'accountSize', a.account_size)
    )
  )))
  from prop_accounts a
  where a.id = account;
end $$;
