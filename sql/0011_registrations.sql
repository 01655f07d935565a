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

comment on table registrations is 'One row per purchase of a registration. At most one per owner and address is open.';
comment on column registrations.id is 'The intent that pays. The nonce of the payment''s authorization is derived from it.';
comment on column registrations.tx_hash is 'The payment on chain. Once known, it is never changed or removed.';
comment on column registrations.problem is 'The error code, if it failed.';

create index registrations_by_address on registrations (owner, ex_address, created_at);
create unique index registrations_one_live on registrations (owner, ex_address)
  where status in ('pending', 'processing', 'registered', 'active');

create table registration_keys (
  registration_id uuid primary key references registrations (id),
  sealed bytea not null
);

comment on table registration_keys is 'Keys of the payment chain, sealed. A row exists from acceptance until the signed payment is stored or its intent ends.';

create table lost_registrations (
  tx_hash text primary key constraint lost_registrations_hash_lower check (tx_hash = lower(tx_hash)),
  payer text not null constraint lost_registrations_payer_lower check (payer = lower(payer)),
  payee text not null,
  units numeric not null,
  found_at timestamptz not null default now(),
  released_at timestamptz
);

create index lost_registrations_by_payer on lost_registrations (payer) where released_at is null;

comment on table lost_registrations is
  'Payments to the registrar that the chain showed when this database was recovered from a backup, and this database did not: also those of other software. Their payer buys nothing more until an operator releases them.';
comment on column lost_registrations.tx_hash is 'The payment on chain.';
comment on column lost_registrations.units is 'In the token''s smallest unit.';
comment on column lost_registrations.found_at is 'When the chain was last read.';
comment on column lost_registrations.released_at is 'When an operator found what the payment was for. Null: its payer''s purchases are rejected.';
