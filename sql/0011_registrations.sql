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
  released_at timestamptz,
  constraint registrations_paid_by_hash check ((tx_hash is null) = (paid_at is null))
);

comment on table registrations is 'One row per purchase of a registration. At most one per owner and address is open.';
comment on column registrations.id is 'The intent that pays. The nonce of the payment''s authorization is derived from it.';
comment on column registrations.tx_hash is 'The payment on chain. Once known, it is never changed or removed.';
comment on column registrations.released_at is 'When an operator let its address register again, although it was paid and never recorded.';
comment on column registrations.problem is 'The error code, if it failed.';

create index registrations_by_address on registrations (owner, ex_address, created_at);
create index registrations_unrecorded on registrations (paid_at) where status = 'failed' and tx_hash is not null and released_at is null;
create unique index registrations_one_live on registrations (owner, ex_address)
  where status in ('pending', 'processing', 'registered', 'active');

create table registration_keys (
  registration_id uuid primary key references registrations (id),
  sealed bytea not null
);

comment on table registration_keys is
  'Keys of the payment chain, sealed. A row exists from acceptance until the signed payment is stored or its intent ends.';
