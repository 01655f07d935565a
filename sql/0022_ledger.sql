create table ledger_accounts (
  id bigint generated always as identity primary key,
  kind text not null constraint ledger_accounts_kind_known check (kind in (
    'platform', 'receipts', 'refunds', 'disputes', 'fees', 'earned', 'owed', 'exchange', 'held', 'overdrawn', 'in_transit', 'bank'
  )),
  holder text,
  currency text not null constraint ledger_accounts_currency_lower check (currency ~ '^[a-z]{3}$'),
  constraint ledger_accounts_once unique nulls not distinct (kind, holder, currency),
  constraint ledger_accounts_in_one_currency unique (id, currency),
  constraint ledger_accounts_holder_named check ((holder is not null) = (kind in ('held', 'overdrawn', 'in_transit', 'bank')))
);

comment on table ledger_accounts is 'The accounts of the ledger, one per kind, currency and payout account. Append only.';
comment on column ledger_accounts.kind is
  'platform: the platform''s balance at the processor. receipts, refunds, disputes, fees: of payments. earned, owed: what payouts take of '
  'earnings, and owe to traders. exchange: between the platform and payout accounts, also in two currencies. held, overdrawn: at a payout '
  'account, and missing there. in_transit, bank: sent to its bank, and paid.';
comment on column ledger_accounts.holder is 'The payout account at the processor.';

create table ledger_transactions (
  id bigint generated always as identity primary key,
  kind text not null constraint ledger_transactions_kind_known check (kind in (
    'payment', 'refund', 'dispute', 'fee', 'exchange', 'reservation', 'transfer', 'arrival', 'bank'
  )),
  subject text not null,
  owner text not null references apps (id),
  source text,
  said_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp()
);

comment on table ledger_transactions is 'What moved money, once each. Append only.';
comment on column ledger_transactions.subject is 'The payment or payout whose money it is.';
comment on column ledger_transactions.owner is 'The app.';
comment on column ledger_transactions.source is 'The processor''s object that moved it, if it is known.';
comment on column ledger_transactions.said_at is 'When it moved by the processor''s clock; what only this service does, by ours.';
comment on column ledger_transactions.recorded_at is 'When it was recorded here.';

create index ledger_transactions_of_subject on ledger_transactions (subject);
create index ledger_transactions_by_time on ledger_transactions (said_at, id);
create unique index ledger_transactions_of_source on ledger_transactions (kind, source) where kind in ('arrival', 'fee', 'exchange');

create table ledger_entries (
  id bigint generated always as identity primary key,
  transaction_id bigint not null references ledger_transactions (id),
  debit_id bigint not null,
  credit_id bigint not null,
  currency text not null,
  amount bigint not null constraint ledger_entries_amount_positive check (amount > 0),
  constraint ledger_entries_debit_same_currency foreign key (debit_id, currency) references ledger_accounts (id, currency),
  constraint ledger_entries_credit_same_currency foreign key (credit_id, currency) references ledger_accounts (id, currency),
  constraint ledger_entries_between_two check (debit_id <> credit_id)
);

comment on table ledger_entries is 'Amounts between two accounts of one currency: no row can be unbalanced. Append only.';
comment on column ledger_entries.amount is 'In the currency''s smallest unit, from the credited to the debited account.';

create index ledger_entries_of_transaction on ledger_entries (transaction_id);
