create table recoveries (
  id bigint primary key generated always as identity,
  since timestamptz not null,
  recovered_at timestamptz not null default now()
);

comment on table recoveries is
  'Each time that this database was restored from a backup and recovered. What happened from since to recovered_at is missing in it.';
comment on column recoveries.since is 'The time of the backup.';

create table lost_orders (
  id uuid primary key,
  found_at timestamptz not null default now()
);

comment on table lost_orders is
  'Orders that a venue had when this database was recovered from a backup, and this database did not: their requests are lost. A retry under the '
  'same id is looked for and never sent.';
comment on column lost_orders.id is 'The id of the order at its venue: the id of the intent that was lost.';
comment on column lost_orders.found_at is 'When the venue was read.';

create table lost_money (
  processor_id text primary key,
  kind text not null check (kind in ('payment', 'transfer')),
  intent_id uuid not null,
  subject_id text not null,
  amount_cents integer not null,
  currency text not null,
  status text,
  processor_account_id text,
  user_id text,
  app text,
  made_at timestamptz not null,
  found_at timestamptz not null default now()
);

create index lost_money_by_account on lost_money (processor_account_id) where kind = 'transfer';

comment on table lost_money is
  'Payments and transfers that the processor had when this database was recovered from a backup, and this database did not. A lost transfer '
  'counts as paid to its receiver.';
comment on column lost_money.processor_id is 'The payment intent or transfer at the processor.';
comment on column lost_money.kind is 'What it is: money of a customer, or money to a connected account.';
comment on column lost_money.intent_id is 'The intent that moved it, whose row is lost.';
comment on column lost_money.subject_id is 'The id of the payment or payout, whose row is lost.';
comment on column lost_money.amount_cents is 'What was requested, or transferred and not reversed, in the currency''s smallest unit.';
comment on column lost_money.currency is 'ISO 4217, lower case.';
comment on column lost_money.status is 'Of a payment: its status when it was read.';
comment on column lost_money.processor_account_id is 'Of a transfer: the connected account that received it.';
comment on column lost_money.user_id is
  'Who pays, by the payment''s metadata, or who receives, by those of the account. That account may be lost here as well.';
comment on column lost_money.app is 'Of a payment: the app, by its metadata.';
comment on column lost_money.made_at is 'By the processor''s clock.';
comment on column lost_money.found_at is 'When the processor was last read.';

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
  'Payments to the registrar that the chain showed when this database was recovered from a backup, and this database did not: also those of other '
  'software. Their payer buys nothing more until an operator releases them.';
comment on column lost_registrations.tx_hash is 'The payment on chain.';
comment on column lost_registrations.units is 'In the token''s smallest unit.';
comment on column lost_registrations.found_at is 'When the chain was last read.';
comment on column lost_registrations.released_at is 'When an operator found what the payment was for. Null: its payer''s purchases are rejected.';

create table restore_evidence (
  id uuid primary key,
  kind text not null constraint restore_evidence_kind_known check (kind in ('unknown', 'unsent')),
  seen_at timestamptz not null default now()
);

comment on table restore_evidence is
  'Orders at venues that prove that this database is behind its upstreams: it was restored from a backup, or a standby without the last commits '
  'took over.';
comment on column restore_evidence.id is 'The id of the order at its venue, and of its intent here.';
comment on column restore_evidence.kind is
  'unknown: this service made the id, and no intent has it. unsent: its intent was never sent, by this database.';
comment on column restore_evidence.seen_at is 'When a process noticed it. What was noticed before the newest recovery is over.';
