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
  'Payments and transfers that the processor had when this database was recovered from a backup, and this database did not. A lost transfer counts as paid to its receiver.';
comment on column lost_money.processor_id is 'The payment intent or transfer at the processor.';
comment on column lost_money.kind is 'What it is: money of a customer, or money to a connected account.';
comment on column lost_money.intent_id is 'The intent that moved it, whose row is lost.';
comment on column lost_money.subject_id is 'The id of the payment or payout, whose row is lost.';
comment on column lost_money.amount_cents is 'The amount requested, in the currency''s smallest unit.';
comment on column lost_money.currency is 'ISO 4217, lower case.';
comment on column lost_money.status is 'Of a payment: its status when it was read.';
comment on column lost_money.processor_account_id is 'Of a transfer: the connected account that received it.';
comment on column lost_money.user_id is 'Of a payment: who pays, by its metadata.';
comment on column lost_money.app is 'Of a payment: the app, by its metadata.';
comment on column lost_money.made_at is 'By the processor''s clock.';
comment on column lost_money.found_at is 'When the processor was last read.';
