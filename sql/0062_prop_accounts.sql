-- Prop accounts of end users: at most one per paid payment, at most one per user and free tier, ever.
create table prop_accounts (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null references users (id),
  tier_id text not null references tiers (id),
  payment_id text constraint prop_accounts_one_per_payment unique references payments (id),
  market text not null,
  asset_class text not null,
  account_size numeric not null,
  status text not null constraint prop_accounts_status_known
    check (status in ('provisioning', 'evaluation', 'funded', 'eliminated', 'subaccount_failed')),
  failure_reason text,
  intent_id uuid constraint prop_accounts_one_per_intent unique,
  synthetic_hotkey text constraint prop_accounts_one_per_subaccount unique references subaccounts (synthetic_hotkey),
  upstream_status text,
  upstream_bucket text,
  synced_at timestamptz,
  sync_after timestamptz not null default now(),
  created_at timestamptz not null default now(),
  status_at timestamptz not null default now(),
  constraint prop_accounts_tradeable_has_subaccount
    check (status not in ('evaluation', 'funded') or synthetic_hotkey is not null)
);
create unique index prop_accounts_one_free on prop_accounts (user_id, tier_id) where payment_id is null;
create index prop_accounts_by_user on prop_accounts (owner, user_id, created_at);
create index prop_accounts_failed on prop_accounts (owner, created_at) where status = 'subaccount_failed';
create index prop_accounts_unserved on prop_accounts (created_at)
  where payment_id is not null and status in ('provisioning', 'subaccount_failed');
create index prop_accounts_due on prop_accounts (sync_after)
  where status in ('provisioning', 'evaluation', 'funded') and synthetic_hotkey is not null;

comment on column prop_accounts.failure_reason is 'Why it never became tradeable, or why it stopped: a word of ours or of the network.';
comment on column prop_accounts.intent_id is 'The creation of its subaccount; null where the money was gone before one was asked for.';
comment on column prop_accounts.sync_after is 'When the sweep looks at it again.';

-- Moves an account, and wakes whoever waits for it to leave provisioning. False where it is not in `from_status` any more.
create function move_prop_account(account text, from_status text, to_status text, reason text) returns boolean
language plpgsql as $$
begin
  update prop_accounts
  set status = to_status, failure_reason = coalesce(reason, failure_reason), status_at = now()
  where id = account and status = from_status;
  if not found then
    return false;
  end if;
  perform pg_notify('settled', account);
  return true;
end $$;

-- Stops the account of a payment whose money is gone. A dispute outranks a refund, whichever is heard of first.
create function stop_paid_account(of_payment text, reason text) returns void
language sql as $$
  with stopped as (
    update prop_accounts
    set status = 'eliminated', failure_reason = reason, status_at = now()
    where payment_id = of_payment
      and (status in ('provisioning', 'evaluation', 'funded')
        or (status = 'eliminated' and failure_reason = 'refunded' and reason = 'disputed'))
    returning id
  )
  select pg_notify('settled', s.id) from stopped s
$$;

-- Plans the next look at an account at the network.
create function plan_sync(account text, delay_s double precision) returns void
language sql as $$
  select queue_money_jobs(array[
    money_job('accounts/sync', json_build_object('prop_account_id', account), now() + make_interval(secs => delay_s))])
$$;

-- Accepts free accounts. Where the user has one of that tier already, its creation stands for the request, whatever came of it.
-- Verdicts beside accept_intents': tier_unknown | tier_not_free | tier_mismatch.
-- Item: as accept_intents', and prop_account_id, user_id, tier_id, asset_class, account_size.
create function accept_free_accounts(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  b record;
begin
  for b in
    select e.item, (e.item ->> 'n')::integer as at, tier_verdict(e.item, true) as judged
    from jsonb_array_elements(batch) as e (item)
    order by e.item ->> 'user_id', e.item ->> 'tier_id'
  loop
    n := b.at;
    intent_id := (b.item ->> 'id')::uuid;
    verdict := b.judged;
    if verdict is not null then
      return next;
      continue;
    end if;

    insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, intent_id)
    select b.item ->> 'prop_account_id', b.item ->> 'owner', b.item ->> 'user_id', t.id, t.market, t.asset_class, t.account_size,
      'provisioning', (b.item ->> 'id')::uuid
    from tiers t
    where t.id = b.item ->> 'tier_id'
    on conflict (user_id, tier_id) where payment_id is null do nothing;
    if not found then
      select p.intent_id into intent_id
      from prop_accounts p
      where p.user_id = b.item ->> 'user_id' and p.tier_id = b.item ->> 'tier_id' and p.payment_id is null;
      verdict := 'replayed';
      return next;
      continue;
    end if;

    select a.intent_id, a.verdict into intent_id, verdict
    from accept_intents(jsonb_build_array(b.item)) a;
    if verdict <> 'accepted' then
      delete from prop_accounts where id = b.item ->> 'prop_account_id';
    end if;
    return next;
  end loop;
end $$;

-- Makes the one account of a paid payment, and asks for its subaccount unless the money is gone already. False where it stands.
create function open_paid_account(of_payment text, new_id text, new_intent uuid, deadline_s double precision, gone text) returns boolean
language plpgsql as $$
declare
  p payments;
begin
  select * into strict p from payments where id = of_payment;
  insert into prop_accounts (
    id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status, failure_reason, intent_id
  )
  values (new_id, p.owner, p.user_id, p.tier_id, p.id, p.market, p.asset_class, p.account_size,
    case when gone is null then 'provisioning' else 'eliminated' end, gone, case when gone is null then new_intent end)
  on conflict (payment_id) do nothing;
  if not found then
    return false;
  end if;
  if gone is null then
    perform ask_for_subaccount(new_id, new_intent, deadline_s);
  end if;
  return true;
end $$;

-- Accepts the intent that makes an account's subaccount at the network.
create function ask_for_subaccount(account text, new_intent uuid, deadline_s double precision) returns void
language plpgsql as $$
begin
  perform accept_intents(jsonb_build_array(jsonb_build_object(
    'n', 0, 'id', new_intent, 'kind', 'accounts/provision', 'owner', a.owner, 'deadline_s', deadline_s,
    'digest', encode(sha256(convert_to(account, 'utf8')), 'hex'),
    'asked', jsonb_build_object(
      'prop_account_id', a.id,
      'subaccount', jsonb_build_object('assetClass', a.asset_class, 'accountSize', a.account_size)
    )
  )))
  from prop_accounts a
  where a.id = account;
end $$;

-- Records a subaccount that was made: the end of its intent, its row, and the account it was made for, if any, which is tradeable
-- once the network says so. False where the claim is lost: nothing is written then.
create function record_subaccount(intent uuid, held_fence integer, said jsonb, made jsonb) returns boolean
language plpgsql as $$
declare
  asker text;
  account record;
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  select i.owner into strict asker from intents i where i.id = intent;
  insert into subaccounts (
    synthetic_hotkey, entity_hotkey, subaccount_id, subaccount_uuid, owner, intent_id, asset_class, account_size,
    ex_address, payout_address, status
  )
  select m.synthetic_hotkey, m.entity_hotkey, m.subaccount_id, m.subaccount_uuid, asker, intent, m.asset_class, m.account_size,
    m.ex_address, m.payout_address, m.status
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
  return true;
end $$;

-- An account whose subaccount was not made has failed, whichever way its intent ended.
create function provisioning_ended() returns trigger
language plpgsql as $$
begin
  perform move_prop_account(a.id, 'provisioning', 'subaccount_failed',
    coalesce(new.outcome -> 'problem' ->> 'reason', lower(new.outcome -> 'problem' ->> 'code')))
  from prop_accounts a
  where a.intent_id = new.id;
  return null;
end $$;
create trigger provisioning_ended after update of state on intents
  for each row when (new.kind = 'accounts/provision' and new.state in ('failed', 'expired'))
  execute function provisioning_ended();

-- Keeps what the network showed of an account, and moves it if it is still where it was.
create function record_sync(account text, from_status text, to_status text, reason text, shown_status text, shown_bucket text) returns void
language plpgsql as $$
begin
  update prop_accounts
  set upstream_status = shown_status, upstream_bucket = shown_bucket, synced_at = now()
  where id = account;
  update subaccounts s
  set status = shown_status
  from prop_accounts a
  where a.id = account and s.synthetic_hotkey = a.synthetic_hotkey and s.status <> shown_status;
  if to_status <> from_status then
    perform move_prop_account(account, from_status, to_status, reason);
  end if;
end $$;

-- Queues a look at every account that is due; they are due again `every_s` later. Returns how many.
create function sweep_prop_accounts(every_s double precision, most integer) returns bigint
language sql as $$
  with due as (
    select a.id
    from prop_accounts a
    where a.status in ('provisioning', 'evaluation', 'funded')
      and a.synthetic_hotkey is not null
      and a.sync_after <= now()
    order by a.sync_after
    limit most
    for update skip locked
  ), planned as (
    update prop_accounts a
    set sync_after = now() + make_interval(secs => every_s)
    from due
    where a.id = due.id
    returning plan_sync(a.id, 0)
  )
  select count(*) from planned
$$;
