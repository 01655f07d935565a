-- Accounts at the processor that traders are paid out to; one per user.
create table connect_accounts (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null constraint connect_accounts_one_per_user unique references users (id),
  processor_account_id text not null constraint connect_accounts_processor_id_once unique,
  country text,
  payouts_enabled boolean not null,
  charges_enabled boolean not null,
  details_submitted boolean not null,
  bank_name text,
  last4 text,
  seen_at timestamptz,
  looked_at timestamptz,
  created_at timestamptz not null default now()
);
create index connect_accounts_unfinished on connect_accounts (created_at) where not payouts_enabled;

comment on column connect_accounts.seen_at is 'When the processor said so, by its clock: older words change nothing.';

-- What traders are paid. `returned_at`: the money is provably back, or never left; only then it can be asked for again.
create table payouts (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null references users (id),
  prop_account_id text not null references prop_accounts (id),
  connect_account_id text not null references connect_accounts (id),
  amount_cents integer not null constraint payouts_amount_positive check (amount_cents > 0),
  currency text not null,
  status text not null default 'pending' constraint payouts_status_known
    check (status in ('pending', 'submitted', 'completed', 'failed')),
  failure_reason text,
  submit_intent_id uuid constraint payouts_submitted_once unique,
  pay_intent_id uuid constraint payouts_paid_once unique,
  processor_transfer_id text,
  processor_payout_id text,
  requested_at timestamptz not null default now(),
  submitted_at timestamptz,
  completed_at timestamptz,
  returned_at timestamptz,
  looked_at timestamptz
);
create index payouts_by_user on payouts (owner, user_id, requested_at);
create index payouts_by_account on payouts (prop_account_id) where returned_at is null;
create index payouts_open on payouts (submitted_at) where status = 'submitted';

-- Writes down a payout that is within what the account has earned and not been paid yet. False where it is not.
create function request_payout(
  new_id text, account text, to_account text, cents integer, of_currency text, earned_cents bigint
) returns boolean
language plpgsql as $$
declare
  a prop_accounts;
begin
  select * into strict a from prop_accounts where id = account for update;
  if cents > earned_cents - (select coalesce(sum(p.amount_cents), 0) from payouts p where p.prop_account_id = account and p.returned_at is null) then
    return false;
  end if;
  insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
  values (new_id, a.owner, a.user_id, account, to_account, cents, of_currency);
  return true;
end $$;

-- Accepts the submission of a payout that is pending; of several exactly one, whose intent then stands for all. Null: there is no such payout.
-- Item: as accept_intents'.
create function submit_payout(payout text, of_owner text, of_user text, item jsonb) returns uuid
language plpgsql as $$
declare
  p payouts;
begin
  select * into p from payouts where id = payout and owner = of_owner and user_id = of_user for update;
  if p.id is null or p.submit_intent_id is not null then
    return p.submit_intent_id;
  end if;
  update payouts set submit_intent_id = (item ->> 'id')::uuid where id = payout;
  perform accept_intents(jsonb_build_array(item));
  return (item ->> 'id')::uuid;
end $$;

-- What an event about a payout tells.
create function payout_event(p payouts) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'payout_id', p.id, 'user_id', p.user_id, 'amount_cents', p.amount_cents, 'currency', p.currency, 'status', p.status,
    'failure_reason', p.failure_reason)
$$;

-- Ends a payout badly, once. A completed one can still fail: the bank may send it back.
create function fail_payout(payout text, reason text, is_returned boolean) returns boolean
language plpgsql as $$
declare
  p payouts;
begin
  update payouts
  set returned_at = now()
  where id = payout and is_returned and returned_at is null;
  update payouts
  set status = 'failed', failure_reason = reason
  where id = payout and status <> 'failed'
  returning * into p;
  if p.id is null then
    return false;
  end if;
  perform emit_event(p.owner, 'payout.failed', payout_event(p));
  return true;
end $$;

-- Completes a payout, once. One that has failed stays so: the processor says paid before it says failed.
create function complete_payout(payout text) returns boolean
language plpgsql as $$
declare
  p payouts;
begin
  update payouts
  set status = 'completed', completed_at = now()
  where id = payout and status in ('pending', 'submitted')
  returning * into p;
  if p.id is null then
    return false;
  end if;
  perform emit_event(p.owner, 'payout.completed', payout_event(p));
  return true;
end $$;

-- Records the transfer to the trader's account, and asks for the payout from there to its bank.
create function record_transfer(intent uuid, held_fence integer, said jsonb, transfer text, item jsonb) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  update payouts
  set status = 'submitted', submitted_at = now(), processor_transfer_id = transfer, pay_intent_id = (item ->> 'id')::uuid
  where submit_intent_id = intent and status = 'pending';
  perform accept_intents(jsonb_build_array(item));
  return true;
end $$;

-- A step of a payout that ended without effect. Never sent, it may be submitted again; refused, or nobody can tell, it has failed.
create function payout_step_ended() returns trigger
language plpgsql as $$
declare
  p payouts;
  code text := new.outcome -> 'problem' ->> 'code';
begin
  select * into p from payouts where submit_intent_id = new.id or pay_intent_id = new.id;
  if p.submit_intent_id = new.id and new.state = 'expired' then
    update payouts set submit_intent_id = null where id = p.id;
  else
    perform fail_payout(p.id, coalesce(new.outcome -> 'problem' ->> 'reason', lower(code)),
      p.submit_intent_id = new.id and code <> 'PROCESSOR_SILENT');
  end if;
  return null;
end $$;
create trigger payout_step_ended after update of state on intents
  for each row when (new.kind in ('payouts/submit', 'payouts/pay') and new.state in ('failed', 'expired'))
  execute function payout_step_ended();
