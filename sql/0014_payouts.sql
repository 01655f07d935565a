create table kyc_cases (
  user_id text primary key references users (id),
  owner text not null references apps (id),
  provider text not null,
  session_id text not null,
  earlier_session_ids text[] not null default '{}',
  status text not null default 'unverified' constraint kyc_cases_status_known
    check (status in ('unverified', 'processing', 'needs_input', 'verified', 'failed')),
  status_at timestamptz,
  failure_reason text,
  verified_at timestamptz,
  reconciled_at timestamptz,
  created_at timestamptz not null default now(),
  constraint kyc_cases_verified_has_time check ((status = 'verified') = (verified_at is not null))
);

comment on table kyc_cases is 'Identity verification of end users, one case per user. Its state follows its newest session at the processor.';
comment on column kyc_cases.status_at is 'Time of the status by the processor''s clock. Older states change nothing.';

comment on column kyc_cases.earlier_session_ids is 'Sessions that a newer one has replaced. One of them can still be verified.';

create index kyc_cases_by_session on kyc_cases (session_id);
create index kyc_cases_by_earlier_session on kyc_cases using gin (earlier_session_ids);
create index kyc_cases_open on kyc_cases (created_at) where verified_at is null;

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
  reconciled_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table connect_accounts is 'Accounts at the processor that receive traders'' payouts, one per user.';
comment on column connect_accounts.seen_at is 'Time of the state by the processor''s clock. Older states change nothing.';

create index connect_accounts_unfinished on connect_accounts (created_at) where not payouts_enabled;

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
  reconciled_at timestamptz
);

comment on table payouts is 'Payouts to traders. If returned_at is set, the money is provably back or never left; only then it can be requested again.';

create index payouts_by_account on payouts (prop_account_id) where returned_at is null;
create index payouts_open on payouts (submitted_at) where status = 'submitted';
create index payouts_of_user on payouts (user_id, requested_at);
