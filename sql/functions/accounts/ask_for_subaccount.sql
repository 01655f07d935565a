-- Accepts the intent that creates an account's subaccount at the network. Where it may have been created before a recovery of the database, it is
-- looked for and not requested: of an account that is older than the recovery, until a creation since then has looked for it, and of a new one, if
-- its payment is older, for a day. `former`: the account's creation before this one.
create or replace function ask_for_subaccount(account text, new_intent uuid, deadline_s double precision, former uuid default null) returns void
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
  set presumed_sent_at = lost.since, deadline_at = greatest(deadline_at, now() + interval '1 day')
  from (
    select min(r.since) as since
    from prop_accounts a
    left join payments p on p.id = a.payment_id
    join recoveries r on coalesce(p.created_at, a.created_at) < r.recovered_at
      and (a.created_at < r.recovered_at or r.recovered_at > now() - interval '1 day')
    left join intents f on f.id = former and f.sending_at is not null and f.settled_at > r.recovered_at
    where a.id = account and f.id is null
  ) lost
  where intents.id = new_intent and lost.since is not null;
end $$;
