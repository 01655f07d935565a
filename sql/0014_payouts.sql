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
  made_in_session text,
  reconciled_at timestamptz,
  created_at timestamptz not null default now(),
  constraint kyc_cases_verified_has_time check ((status = 'verified') = (verified_at is not null))
);

comment on table kyc_cases is 'Identity verification of end users, one case per user. Its state follows its newest session at the processor.';
comment on column kyc_cases.status_at is 'Time of the status by the processor''s clock. Older states change nothing.';

comment on column kyc_cases.session_id is 'The newest session at the processor. Empty: none counts, because a stolen session may have begun it.';
comment on column kyc_cases.made_in_session is 'The session of the user that began it. It may have been deleted since.';
comment on column kyc_cases.earlier_session_ids is 'Sessions that a newer one has replaced. One of them can still be verified.';

create index kyc_cases_by_session on kyc_cases (session_id);
create index kyc_cases_by_earlier_session on kyc_cases using gin (earlier_session_ids);
create index kyc_cases_open on kyc_cases (created_at) where verified_at is null;

create table connect_accounts (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null references users (id),
  processor_account_id text not null constraint connect_accounts_processor_id_once unique,
  country text,
  payouts_enabled boolean not null,
  charges_enabled boolean not null,
  details_submitted boolean not null,
  bank_name text,
  last4 text,
  destination text,
  is_abroad boolean not null default false,
  made_in_session text,
  linked_in_sessions text[] not null default '{}',
  linked_at timestamptz,
  destination_at timestamptz not null default now(),
  detached_at timestamptz,
  detached_because text constraint connect_accounts_reason_known check (detached_because in ('user', 'operator', 'quarantine')),
  seen_at timestamptz,
  reconciled_at timestamptz,
  created_at timestamptz not null default now(),
  constraint connect_accounts_detached_has_reason check ((detached_at is null) = (detached_because is null))
);

comment on table connect_accounts is 'Accounts at the processor that receive traders'' payouts: one per user, and those that were detached.';
comment on column connect_accounts.is_abroad is
  'In another country than the platform: under the recipient agreement, in its own currency, and available a day later.';
comment on column connect_accounts.made_in_session is 'The session that opened it. It may have been deleted since.';
comment on column connect_accounts.linked_in_sessions is
  'Sessions that were given a link to its pages at the processor, where its bank account can be changed.';
comment on column connect_accounts.linked_at is 'When the newest of these links was asked for.';
comment on column connect_accounts.destination is
  'Identifies the bank accounts and cards that the processor showed last; kept when they are removed, so that others are noticed.';
comment on column connect_accounts.destination_at is
  'When its money began to go where it goes now: it was opened, or the processor showed another bank account.';
comment on column connect_accounts.detached_at is 'No payout goes there any more. The user may open another account.';
comment on column connect_accounts.seen_at is 'Time of the state by the processor''s clock. Older states change nothing.';

create unique index connect_accounts_one_per_user on connect_accounts (user_id) where detached_at is null;
create index connect_accounts_of_user on connect_accounts (user_id);
create index connect_accounts_attached on connect_accounts (reconciled_at nulls first) where detached_at is null;
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
    check (status in ('pending', 'submitted', 'transferred', 'completed', 'failed', 'reversed', 'canceled')),
  failure_reason text,
  emitted_failure text,
  processor_transfer_id text constraint payouts_transfer_once unique,
  arrival_id text,
  is_unread boolean not null default false,
  pay_after timestamptz,
  delayed_for text,
  delayed_since timestamptz,
  made_in_session text,
  requested_at timestamptz not null default now(),
  submitted_at timestamptz,
  completed_at timestamptz,
  canceled_at timestamptz,
  reconciled_at timestamptz
);

comment on table payouts is
  'Payouts to traders: a transfer to the trader''s account at the processor, and a payout from there to its bank. The ledger holds their money.';
comment on column payouts.status is 'Follows from its steps, see settle_payout.';
comment on column payouts.arrival_id is 'The payment that the trader''s account received by the transfer.';
comment on column payouts.pay_after is
  'When its next step is requested: its money is not available at the trader''s account before, or the platform or the processor is waited for. '
  'Null: nothing to wait for.';
comment on column payouts.emitted_failure is 'The failure that the last event reported. Null: none since it was last completed.';
comment on column payouts.is_unread is 'Money was transferred or came back since it was last read what its account received and gave back.';
comment on column payouts.reconciled_at is 'When that was last requested.';
comment on column payouts.delayed_for is 'Why its step waits, if that is not its own fault: the processor''s or the platform''s. Null: it does not.';
comment on column payouts.made_in_session is 'The session that requested it. It may have been deleted since.';
comment on column payouts.canceled_at is 'When its user canceled it. Its transfer was not sent before and is not sent afterwards.';

create index payouts_by_account on payouts (prop_account_id);
create index payouts_of_user on payouts (user_id, requested_at);
create index payouts_waiting on payouts (pay_after) where pay_after is not null;
create index payouts_delayed on payouts (delayed_since) where delayed_since is not null;
create index payouts_of_app on payouts (owner, requested_at, id);
create index payouts_by_time on payouts (requested_at, id);
create index payouts_unread_arrivals on payouts (reconciled_at nulls first) where is_unread;
-- Money that operators may have to look at: failed after the transfer, or long under way.
create index payouts_stranded on payouts (submitted_at) where status in ('failed', 'transferred') and processor_transfer_id is not null;

create table payout_steps (
  intent_id uuid primary key,
  position bigint not null generated always as identity,
  payout_id text not null references payouts (id),
  step text not null constraint payout_steps_known check (step in ('transfer', 'payout', 'reversal')),
  state text not null default 'under_way' constraint payout_steps_state_known
    check (state in ('under_way', 'unsent', 'sent', 'done', 'failed', 'unknown')),
  amount_cents bigint not null constraint payout_steps_amount_positive check (amount_cents > 0),
  currency text not null,
  reversed_before integer not null default 0,
  processor_id text constraint payout_steps_processor_id_once unique,
  failure_reason text,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  reconciled_at timestamptz
);

comment on table payout_steps is
  'Each movement of a payout''s money that was requested of the processor. A payout to the bank that failed is followed by another, or by a '
  'reversal.';
comment on column payout_steps.position is 'The order of the steps: the clock of the database may be set back.';
comment on column payout_steps.state is
  'sent: the processor has it and the bank has not. unsent: nothing left. unknown: the processor never reported the effect; no further step is '
  'taken until an operator has resolved it.';
comment on column payout_steps.amount_cents is
  'In the currency of this step: what the trader''s account holds may be another one than was transferred.';
comment on column payout_steps.reversed_before is 'Of a reversal: what was reversed when it was requested.';

create unique index payout_steps_one_at_a_time on payout_steps (payout_id) where state in ('under_way', 'sent', 'unknown');
create index payout_steps_of_payout on payout_steps (payout_id, created_at);
create index payout_steps_paid on payout_steps (ended_at) where step = 'payout' and state = 'done';
create index payout_steps_sent on payout_steps (created_at) where state = 'sent';
-- Steps that operators must look up.
create index payout_steps_unknown on payout_steps (payout_id) where state = 'unknown';
