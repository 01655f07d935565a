-- What operators did by hand to money and accounts. Never changed, never removed.
create table operator_actions (
  id bigint primary key generated always as identity,
  operator text not null,
  action text not null constraint operator_actions_known check (action in ('provision_again', 'attach', 'refund', 'reinstate')),
  payment_id text references payments (id),
  prop_account_id text references prop_accounts (id),
  detail jsonb not null default '{}',
  at timestamptz not null default now()
);
create index operator_actions_of_account on operator_actions (prop_account_id);
create index operator_actions_of_payment on operator_actions (payment_id);

-- Whether it is proven that an account's subaccount was never made: its creation ended unsent, or the network refused, or a look
-- at all the network holds found nothing. An ambiguous look proves nothing.
create function is_provably_unmade(of_intent uuid) returns boolean
language sql stable as $$
  select i.state = 'expired'
    or (i.state = 'failed' and i.outcome -> 'problem' ->> 'code' in ('VENUE_REJECTED', 'VENUE_AUTH', 'NOT_CARRIED_OUT', 'V2_ACCOUNT_STOPPED'))
  from intents i
  where i.id = of_intent
$$;

-- Makes the subaccount of a failed account once more. Verdicts: done | unknown | not_failed | unproven.
create function provision_again(account text, by_operator text, new_intent uuid, deadline_s double precision) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a from prop_accounts where id = account for update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'subaccount_failed' then
    return 'not_failed';
  elsif a.synthetic_hotkey is not null or not coalesce(is_provably_unmade(a.intent_id), a.intent_id is null) then
    return 'unproven';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, intent_id = new_intent, status_at = now()
  where id = account;
  perform ask_for_subaccount(account, new_intent, deadline_s);
  insert into operator_actions (operator, action, payment_id, prop_account_id, detail)
  values (by_operator, 'provision_again', a.payment_id, account, jsonb_build_object('intent_id', new_intent, 'after', a.intent_id));
  return 'done';
end $$;

-- Gives a failed account a subaccount that stands at the network and that nobody owns. Verdicts: done | unknown | not_failed | open | taken.
create function attach_subaccount(account text, by_operator text, made jsonb) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a from prop_accounts where id = account for update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'subaccount_failed' or a.synthetic_hotkey is not null then
    return 'not_failed';
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
  insert into operator_actions (operator, action, payment_id, prop_account_id, detail)
  values (by_operator, 'attach', a.payment_id, account, jsonb_build_object('synthetic_hotkey', made ->> 'synthetic_hotkey'));
  return 'done';
end $$;

-- Lets an account trade again that a refund or dispute had stopped. One the network has eliminated stays so. Verdicts: done | unknown | not_stopped.
create function reinstate_account(account text, by_operator text) returns text
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into a from prop_accounts where id = account for update;
  if a.id is null then
    return 'unknown';
  elsif a.status <> 'eliminated' or a.failure_reason not in ('refunded', 'disputed') or a.synthetic_hotkey is null then
    return 'not_stopped';
  end if;
  update prop_accounts
  set status = 'provisioning', failure_reason = null, status_at = now(), sync_after = now()
  where id = account;
  perform plan_sync(account, 0);
  insert into operator_actions (operator, action, payment_id, prop_account_id, detail)
  values (by_operator, 'reinstate', a.payment_id, account, jsonb_build_object('was', a.failure_reason));
  return 'done';
end $$;

-- Paid, and nobody has anything for it: no tradeable or once tradeable account, and no refund. One line each, with what is safe to do.
create function list_unserved_payments(minutes double precision) returns table (
  payment_id text, owner text, user_id text, processor_payment_intent_id text, amount_cents integer, currency text, paid_at timestamptz,
  prop_account_id text, account_status text, failure_reason text, intent_id uuid, intent_state text, safe_action text
)
language sql stable as $$
  with owed as (
    select a.payment_id
    from prop_accounts a
    where a.payment_id is not null and a.status in ('provisioning', 'subaccount_failed')
    union all
    select p.id
    from payments p
    where p.amount_differs
  )
  select p.id, p.owner, p.user_id, p.processor_payment_intent_id, p.amount_cents, p.currency, p.paid_at,
    a.id, a.status, a.failure_reason, i.id, i.state,
    case
      when a.id is null then 'compare the amount received, then refund'
      when a.status = 'provisioning' then 'wait: it is being made or looked up'
      when a.synthetic_hotkey is not null then 'refund: the network made it and then failed it'
      when is_provably_unmade(i.id) then 'provision again, or refund'
      else 'look at the network: attach what was made, or refund'
    end
  from owed
  join payments p on p.id = owed.payment_id
  left join prop_accounts a on a.payment_id = p.id
  left join intents i on i.id = a.intent_id
  where p.paid_at < now() - make_interval(secs => minutes * 60)
    and p.refunded_at is null
    and p.disputed_at is null
  order by p.paid_at
$$;

create view unserved_payments as select * from list_unserved_payments(10);
comment on view unserved_payments is 'Paid for ten minutes and neither served nor refunded; empty on a good day.';
