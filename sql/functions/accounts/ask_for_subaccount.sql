-- Accepts the intent that creates an account's subaccount at the network. If the database was recovered within the last day and the payment is older
-- than that, the subaccount may have been created already: it is searched for and not requested.
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
  update intents
  set presumed_sent_at = r.since, deadline_at = greatest(deadline_at, now() + interval '1 day')
  from prop_accounts a
  join payments p on p.id = a.payment_id
  join recoveries r on p.created_at < r.recovered_at and r.recovered_at > now() - interval '1 day'
  where intents.id = new_intent and a.id = account and a.created_at = now();
end $$;
