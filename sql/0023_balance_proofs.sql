create table balance_changes (
  id text primary key,
  subject text not null,
  amount bigint not null,
  fee bigint not null,
  currency text not null,
  exchange_rate numeric,
  said_at timestamptz not null,
  read_at timestamptz not null default now()
);

comment on table balance_changes is
  'Changes of the platform''s balance that the processor lists for our payments and payouts: the other side of the ledger''s proof.';
comment on column balance_changes.id is 'The processor''s balance transaction.';
comment on column balance_changes.subject is 'The payment or payout.';
comment on column balance_changes.amount is 'Before the fee, in the currency of the balance. Negative: taken from it.';

create index balance_changes_of_subject on balance_changes (subject);
create index balance_changes_by_time on balance_changes (said_at);

create table balance_proofs (
  only_row boolean primary key default true constraint balance_proofs_one_row check (only_row),
  since timestamptz not null,
  read_until timestamptz not null
);

comment on table balance_proofs is 'Until when the processor''s list of changes of the platform''s balance was read, and from when on.';

create table balance_readings (
  account_id text not null references connect_accounts (id),
  currency text not null,
  shown bigint not null,
  posted bigint not null,
  differs_since timestamptz,
  read_at timestamptz not null,
  constraint balance_readings_once primary key (account_id, currency)
);

comment on table balance_readings is 'The last reading of each payout account''s balance at the processor, and what the ledger held there then.';
comment on column balance_readings.differs_since is 'Since when both differ. Null: they agree.';

create index balance_readings_that_differ on balance_readings (differs_since) where differs_since is not null;

create table balance_differences (
  subject text not null,
  currency text not null,
  posted bigint not null,
  shown bigint not null,
  since timestamptz not null default now(),
  constraint balance_differences_once primary key (subject, currency)
);

comment on table balance_differences is
  'Payments and payouts of which the ledger and the changes of the platform''s balance differ. A row goes when they agree.';
