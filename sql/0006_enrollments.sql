-- Signing keys of exchange wallets, one row per key ever enrolled. The key itself is sealed, and wiped when it is no longer needed.
create table signing_keys (
  id uuid primary key,
  owner text not null,
  ex_wallet text not null constraint signing_keys_wallet_lower check (ex_wallet = lower(ex_wallet)),
  signer text not null constraint signing_keys_signer_lower check (signer = lower(signer)),
  key_version integer not null,
  sealed bytea,
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  constraint signing_keys_version_once unique (owner, ex_wallet, key_version)
);
create unique index signing_keys_one_live on signing_keys (owner, ex_wallet) where retired_at is null;
create index signing_keys_by_signer on signing_keys (signer);

comment on column signing_keys.signer is 'The address of the key: the wallet itself, or an agent the exchange knows for it.';
comment on column signing_keys.retired_at is 'Rotated or revoked. An agent once retired is never enrolled again: its old signed actions could be replayed.';

-- Enrollments as v1 sessions show them; the key in force is the live row of signing_keys.
create table enrollments (
  owner text not null,
  ex_wallet text not null,
  payout_wallet text,
  label text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (owner, ex_wallet)
);

-- The exchange wants every nonce of a signer once: one durable counter per signer, whoever enrolled it.
create table signer_nonces (
  signer text primary key,
  last_nonce bigint not null
);

-- The next nonces of a signer, `count` of them ending with the answer: milliseconds, unique and rising over any number of workers.
create function next_nonce(of_signer text, count integer) returns bigint
language sql as $$
  insert into signer_nonces as n (signer, last_nonce)
  values (of_signer, floor(extract(epoch from clock_timestamp()) * 1000)::bigint + count - 1)
  on conflict (signer) do update
  set last_nonce = greatest(n.last_nonce + count, excluded.last_nonce)
  returning last_nonce
$$;

-- Enrolls a key, or a new one in place of the live one. The same key again changes no version; a retired agent is refused.
create function enroll_key(
  of_owner text, wallet text, new_id uuid, new_signer text, new_sealed bytea, is_verified boolean, payout text, named text
) returns void
language plpgsql as $$
declare
  live record;
begin
  insert into enrollments as e (owner, ex_wallet, payout_wallet, label)
  values (of_owner, wallet, payout, named)
  on conflict (owner, ex_wallet) do update
  set payout_wallet = excluded.payout_wallet, label = excluded.label, updated_at = now();

  select k.id, k.signer into live
  from signing_keys k
  where k.owner = of_owner and k.ex_wallet = wallet and k.retired_at is null;
  if live.signer = new_signer then
    update signing_keys set verified_at = coalesce(verified_at, case when is_verified then now() end) where id = live.id;
    return;
  end if;

  if new_signer <> wallet and exists (select from signing_keys k where k.signer = new_signer and k.retired_at is not null) then
    raise exception using errcode = 'check_violation', constraint = 'signing_keys_agent_retired';
  end if;

  update signing_keys set retired_at = now() where id = live.id;
  insert into signing_keys (id, owner, ex_wallet, signer, key_version, sealed, verified_at)
  values (new_id, of_owner, wallet, new_signer,
    (select coalesce(max(k.key_version), 0) + 1 from signing_keys k where k.owner = of_owner and k.ex_wallet = wallet),
    new_sealed, case when is_verified then now() end);
end $$;

-- Revokes an enrollment and wipes every key it ever had. False when there is none.
create function revoke_enrollment(of_owner text, wallet text) returns boolean
language plpgsql as $$
begin
  delete from enrollments where owner = of_owner and ex_wallet = wallet;
  if not found then
    return false;
  end if;
  update signing_keys
  set sealed = null, retired_at = coalesce(retired_at, now())
  where owner = of_owner and ex_wallet = wallet;
  return true;
end $$;

-- Wipes the keys that were rotated out and that no open intent was signed with. Returns how many.
create function wipe_retired_keys() returns bigint
language sql as $$
  with wiped as (
    update signing_keys k
    set sealed = null
    where k.retired_at is not null
      and k.sealed is not null
      and not exists (
        select
        from intents i
        where i.state in ('queued', 'running', 'in_doubt')
          and i.sent ->> 'key_id' = k.id::text
      )
    returning k.id
  )
  select count(*) from wiped
$$;
