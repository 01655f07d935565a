-- An operator's reason is kept beside the action; what was given up is not made any more.

-- Whether the money of a payment was given back, or the payer's bank is asking for it. Null is no payment: nothing to give back.
create function is_returned(payment text) returns boolean
language sql stable as $$
  select exists (
    select
    from payments p
    where p.id = payment and (p.refunded_at is not null or p.disputed_at is not null)
  )
$$;

-- Makes the subaccount of a failed account once more. Verdicts:
-- done | unknown | not_failed | given_up | returned (its money) | unproven.
drop function provision_again(text, text, uuid, double precision);
create function provision_again(
  account text, by_operator text, new_intent uuid, deadline_s double precision, because text default null
) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a from prop_accounts where id = account for update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'subaccount_failed' then
    return 'not_failed';
  elsif a.given_up_at is not null then
    return 'given_up';
  elsif is_returned(a.payment_id) then
    return 'returned';
  elsif a.synthetic_hotkey is not null or not coalesce(is_provably_unmade(a.intent_id), a.intent_id is null) then
    return 'unproven';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, intent_id = new_intent, status_at = now()
  where id = account;
  perform ask_for_subaccount(account, new_intent, deadline_s);
  insert into operator_actions (operator, action, payment_id, prop_account_id, why, detail)
  values (by_operator, 'provision_again', a.payment_id, account, because,
    jsonb_build_object('verdict', 'done', 'intent_id', new_intent, 'after', a.intent_id, 'login', session_user));
  return 'done';
end $$;

-- Gives a failed account a subaccount that stands at the network and that nobody owns. Verdicts:
-- done | unknown | not_failed | given_up | returned (its money) | open | taken.
drop function attach_subaccount(text, text, jsonb);
create function attach_subaccount(account text, by_operator text, made jsonb, because text default null) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a from prop_accounts where id = account for update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'subaccount_failed' or a.synthetic_hotkey is not null then
    return 'not_failed';
  elsif a.given_up_at is not null then
    return 'given_up';
  elsif is_returned(a.payment_id) then
    return 'returned';
  elsif exists (select from intents i where i.id = a.intent_id and i.settled_at is null) then
    return 'open';
  end if;
  insert into subaccounts (
    synthetic_hotkey, entity_hotkey, subaccount_id, subaccount_uuid, owner, intent_id, asset_class, account_size, status
  )
  select m.synthetic_hotkey, m.entity_hotkey, m.subaccount_id, m.subaccount_uuid, a.owner,
    coalesce(a.intent_id, gen_random_uuid()), m.asset_class, m.account_size, m.status
  from jsonb_populate_record(null::subaccounts, made) m
  on conflict do nothing;
  if not found then
    return 'taken';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, synthetic_hotkey = made ->> 'synthetic_hotkey',
    upstream_status = made ->> 'status', status_at = now(), sync_after = now()
  where id = account;
  perform plan_sync(account, 0);
  insert into operator_actions (operator, action, payment_id, prop_account_id, why, detail)
  values (by_operator, 'attach', a.payment_id, account, because,
    jsonb_build_object('verdict', 'done', 'synthetic_hotkey', made ->> 'synthetic_hotkey', 'login', session_user));
  return 'done';
end $$;

-- Of the kit's inside: keeps a refusal; what was done its own function has kept.
create function ops.note_account(account text, who text, did text, why text, verdict text) returns void
language sql as $$
  select ops.note(who, did, account, why, jsonb_build_object('verdict', verdict))
  where verdict <> 'done'
$$;
comment on function ops.note_account is 'Of the kit''s inside.';

create function ops.provision_account(account text, who text, why text, deadline_s double precision default 3600) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  verdict text;
begin
  perform ops.want_who_and_why(who, why);
  verdict := provision_again(account, who, gen_random_uuid(), deadline_s, why);
  perform ops.note_account(account, who, 'provision_again', why, verdict);
  return verdict;
end $$;
comment on function ops.provision_account(text, text, text, double precision) is
  'Makes a failed account''s subaccount once more, only where it is proven that nothing was made: done, unknown, not_failed, given_up, returned, unproven. Kept in ops.actions.';

create function ops.attach_account(account text, hotkey text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  name text[] := regexp_match(hotkey, '^(.+)_(\d{1,9})$');
  verdict text := 'malformed';
begin
  perform ops.want_who_and_why(who, why);
  if name is not null then
    verdict := attach_subaccount(account, who, (
      select jsonb_build_object('synthetic_hotkey', hotkey, 'entity_hotkey', name[1], 'subaccount_id', name[2]::integer,
        'asset_class', a.asset_class, 'account_size', a.account_size, 'status', 'pending')
      from prop_accounts a
      where a.id = account
    ), why);
  end if;
  perform ops.note_account(account, who, 'attach', why, verdict);
  return verdict;
end $$;
comment on function ops.attach_account(text, text, text, text) is
  'Gives a failed account the subaccount <entity>_<number> that stands at the network; it trades once the network says so. Nobody checks class and size here: look first, or use the console, which does. Verdicts: done, unknown, not_failed, given_up, returned, open, taken, malformed. Kept in ops.actions.';

create function ops.give_up_account(account text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  a prop_accounts;
  verdict text;
begin
  perform ops.want_who_and_why(who, why);
  select * into a from prop_accounts where id = account for update;
  verdict := case
    when a.id is null then 'unknown'
    when a.status <> 'subaccount_failed' then 'not_failed'
    when a.given_up_at is not null then 'given_up'
    when a.payment_id is not null and not exists (
      select
      from payments p
      where p.id = a.payment_id and (p.refunded_at is not null or p.disputed_at is not null)
    ) then 'owes'
    else 'done'
  end;
  if verdict = 'done' then
    update prop_accounts
    set given_up_at = now(), given_up_by = who, given_up_why = why
    where id = account;
  end if;
  perform ops.note(who, 'give_up', account, why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.give_up_account(text, text, text) is
  'Takes a failed account off the lists for good; a paid one only once its money was refunded or is disputed. Verdicts: done, unknown, not_failed, given_up, owes. Kept in ops.actions.';

create function ops.list_failed_accounts() returns table (
  prop_account_id text, app_id text, user_id text, payment_id text, processor_payment_intent_id text, tier_id text, asset_class text,
  account_size numeric, failure_reason text, intent_id uuid, created_at timestamptz, failed_at timestamptz, safe_action text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select a.id, a.owner, a.user_id, a.payment_id, p.processor_payment_intent_id, a.tier_id, a.asset_class,
    a.account_size, a.failure_reason, a.intent_id, a.created_at, a.status_at,
    case
      when p.refunded_at is not null or p.disputed_at is not null then 'give up: its money was refunded or is disputed'
      when a.synthetic_hotkey is not null then o.otherwise || ': the network made it and then failed it'
      when a.intent_id is null or coalesce(is_provably_unmade(a.intent_id), false) then 'provision again, or ' || o.otherwise
      else 'look at the network: attach what was made, or ' || o.otherwise
    end
  from prop_accounts a
  left join payments p on p.id = a.payment_id
  cross join lateral (select case when a.payment_id is null then 'give up' else 'refund' end as otherwise) o
  where a.status = 'subaccount_failed' and a.given_up_at is null
$$;
comment on function ops.list_failed_accounts is 'What ops.failed_accounts shows.';

create view ops.failed_accounts as
select *
from ops.list_failed_accounts()
order by created_at desc;
comment on view ops.failed_accounts is
  'Accounts that could not be made and were not given up, newest first, with what is safe to do: ops.provision_account, ops.attach_account, ops.give_up_account, or a refund.';
