-- Registrations on the exchange by a paid flow, one row per purchase; the purchase's intent carries it out.
create table registrations (
  id uuid primary key,
  owner text not null,
  ex_address text not null constraint registrations_address_lower check (ex_address = lower(ex_address)),
  miner_slug text not null,
  account_size integer not null constraint registrations_size_positive check (account_size > 0),
  payer text not null constraint registrations_payer_lower check (payer = lower(payer)),
  status text not null default 'pending' constraint registrations_status_known
    check (status in ('pending', 'processing', 'registered', 'active', 'failed', 'eliminated', 'deregistered')),
  tx_hash text,
  problem text,
  message text,
  estimated_time text,
  polls integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  paid_at timestamptz,
  constraint registrations_paid_by_hash check ((tx_hash is null) = (paid_at is null))
);
create index registrations_by_address on registrations (owner, ex_address, created_at);
create unique index registrations_one_live on registrations (owner, ex_address)
  where status in ('pending', 'processing', 'registered', 'active');

comment on table registrations is 'One row per purchase of a registration; at most one of an owner and address is alive.';
comment on column registrations.id is 'The intent that pays; the nonce of the payment''s authorization is made from it.';
comment on column registrations.tx_hash is 'The payment on chain. Once known it is never changed or removed.';
comment on column registrations.problem is 'The refusal''s code where it failed.';

-- Keys of the payment chain, sealed. A row lives from acceptance until what the key signed is stored, or its intent ends.
create table registration_keys (
  registration_id uuid primary key references registrations (id),
  sealed bytea not null
);

-- A registration follows its intent, whoever moves that and however it ends. The key goes with the commit that stores what it
-- signed, and with every ending: nothing can settle and leave a key behind.
create function follow_purchase() returns trigger
language plpgsql as $$
begin
  if new.sending_at is not null or new.settled_at is not null then
    delete from registration_keys where registration_id = new.id;
  end if;
  update registrations r
  set status = case
        when new.state = 'succeeded' then new.outcome -> 'result' ->> 'status'
        when new.state in ('failed', 'expired') then 'failed'
        when new.sending_at is not null then 'processing'
        else 'pending'
      end,
    tx_hash = coalesce(r.tx_hash, new.outcome -> 'result' ->> 'tx_hash'),
    paid_at = coalesce(r.paid_at, case when new.outcome -> 'result' ->> 'tx_hash' is not null then now() end),
    problem = case when new.state in ('failed', 'expired') then new.outcome -> 'problem' ->> 'code' end,
    message = coalesce(
      new.outcome -> 'result' ->> 'message',
      new.outcome -> 'problem' ->> 'message',
      case when new.settled_at is null then r.message end),
    updated_at = now()
  where r.id = new.id;
  return null;
end $$;

create trigger intents_move_their_registration
after update of state, sending_at, settled_at on intents
for each row
when (new.kind = 'registration/purchase'
  and (old.state, old.sending_at, old.settled_at) is distinct from (new.state, new.sending_at, new.settled_at))
execute function follow_purchase();

-- Accepts purchases: intent, registration and sealed key in one transaction. A repeat of a request is answered by its first; then
-- verdicts beside accept_intents': under_way | registered | paid (an earlier one is paid for and was not registered).
-- Item: as accept_intents', and ex_address, miner_slug, account_size, payer, sealed (hex)
create function accept_registrations(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  item jsonb;
  live text;
begin
  for item in
    select b.item from jsonb_array_elements(batch) as b (item) order by b.item ->> 'lane', b.item ->> 'n'
  loop
    begin
      select a.n, a.intent_id, a.verdict into n, intent_id, verdict
      from accept_intents(jsonb_build_array(item)) a;
      if verdict = 'accepted' then
        insert into registrations (id, owner, ex_address, miner_slug, account_size, payer)
        values ((item ->> 'id')::uuid, item ->> 'owner', item ->> 'ex_address', item ->> 'miner_slug',
          (item ->> 'account_size')::integer, item ->> 'payer');
        insert into registration_keys (registration_id, sealed)
        values ((item ->> 'id')::uuid, decode(item ->> 'sealed', 'hex'));
        if exists (
          select from registrations r
          where r.owner = item ->> 'owner' and r.ex_address = item ->> 'ex_address'
            and r.status = 'failed' and r.tx_hash is not null
        ) then
          raise unique_violation using constraint = 'registrations_paid_once';
        end if;
      end if;
    exception when unique_violation then
      select r.status into live
      from registrations r
      where r.owner = item ->> 'owner' and r.ex_address = item ->> 'ex_address'
        and r.status in ('pending', 'processing', 'registered', 'active');
      n := (item ->> 'n')::integer;
      intent_id := (item ->> 'id')::uuid;
      verdict := case when live in ('registered', 'active') then 'registered'
        when live is not null then 'under_way'
        else 'paid' end;
    end;
    return next;
  end loop;
end $$;

-- Plans one look at a registration. `look` is how many there were before: a look that runs after another one of its number,
-- since its worker died or was slow, finds the count moved on and does nothing.
create function plan_registration_look(registration uuid, look integer, look_s double precision) returns void
language sql as $$
  select graphile_worker.add_job(
    'registration/poll', json_build_object('registration_id', registration, 'look', look),
    run_at => now() + make_interval(secs => look_s))
$$;

-- Ends a purchase and plans the first look at its registration, if there is one to come, in one transaction.
create function end_purchase(intent uuid, held_fence integer, ending text, said jsonb, look_s double precision) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, ending, said) then
    return false;
  end if;
  if look_s is not null then
    perform plan_registration_look(intent, 0, look_s);
  end if;
  return true;
end $$;

-- Keeps the hash of a payment the moment it is known, before anything else is tried. The first one stays.
create function note_payment(registration uuid, hash text, noted text) returns void
language sql as $$
  update registrations
  set tx_hash = hash, paid_at = now(), message = noted, updated_at = now()
  where id = registration and tx_hash is null
$$;

-- Brings back a registration that ended as unpaid and turned out to be paid, and plans the next look at it. While another of the
-- same address is alive it stays failed, with its payment on record. True where it lives again.
create function revive_registration(registration uuid, look integer, hash text, noted text) returns boolean
language plpgsql as $$
begin
  perform note_payment(registration, hash, noted);
  update registrations
  set status = 'processing', problem = null, polls = look + 1, updated_at = now()
  where id = registration and polls = look;
  if not found then
    return false;
  end if;
  perform plan_registration_look(registration, look + 1, 0);
  return true;
exception when unique_violation then
  perform note_payment(registration, hash, noted);
  return false;
end $$;
