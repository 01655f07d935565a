create table tiers (
  id text primary key constraint tiers_id_readable check (id ~ '^tier_[a-z0-9_]{1,60}$'),
  market text not null,
  asset_class text not null,
  account_size numeric not null constraint tiers_size_possible check (account_size > 0 and account_size <= 100000),
  amount_cents integer not null constraint tiers_price_possible check (amount_cents = 0 or amount_cents between 50 and 99999999),
  currency text not null default 'usd' constraint tiers_currency_lower check (currency ~ '^[a-z]{3}$'),
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table tiers is 'Tiers for sale. The server sets the prices: a checkout with another amount is rejected.';
comment on column tiers.account_size is 'USD.';
comment on column tiers.amount_cents is 'Zero: an account of this tier is free, one per user. The processor accepts no less than 50.';

create table payments (
  id text primary key,
  owner text not null references apps (id),
  user_id text not null references users (id),
  tier_id text not null references tiers (id),
  market text not null,
  asset_class text not null,
  account_size numeric not null,
  amount_cents integer not null constraint payments_amount_positive check (amount_cents > 0),
  currency text not null,
  intent_id uuid not null constraint payments_one_per_intent unique,
  processor_payment_intent_id text constraint payments_processor_id_once unique,
  sealed_client_secret bytea,
  status text not null default 'pending' constraint payments_status_known check (status in (
    'pending', 'requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'requires_capture',
    'succeeded', 'canceled', 'failed'
  )),
  status_at timestamptz,
  received_currency text,
  failure_code text,
  paid_at timestamptz,
  amount_differs boolean not null default false,
  stopped_for text constraint payments_stop_known check (stopped_for in ('refunded', 'disputed', 'under_review')),
  refund_intent_id uuid constraint payments_one_refund unique,
  refunded_at timestamptz,
  disputed_at timestamptz,
  returned_at timestamptz,
  reconciled_at timestamptz,
  created_at timestamptz not null default now(),
  constraint payments_paid_has_time check ((status = 'succeeded') = (paid_at is not null))
);

comment on table payments is 'Checkouts. The state of the intent says whether the processor has the payment; the ledger holds its money.';
comment on column payments.owner is 'The app.';
comment on column payments.status is
  'The processor''s status. pending: the processor does not have the payment yet. failed: it rejected the payment.';
comment on column payments.status_at is 'Time of the status by the processor''s clock. Older states change nothing.';
comment on column payments.amount_differs is 'Cleared in another amount or currency than requested: no account is created for it.';
comment on column payments.received_currency is
  'The currency that the money was received in, and of its refunds and disputes. Null: nothing was received.';
comment on column payments.returned_at is 'When nothing of it was held any more. Null: something is, or nothing was received.';
comment on column payments.stopped_for is
  'Why its account must not trade: a loss that no operator has accepted, or a refund of unknown effect. Null: it may.';
comment on column payments.refund_intent_id is 'The newest refund that an operator requested.';
comment on column payments.sealed_client_secret is
  'The secret with which the buyer''s browser completes this payment, sealed. Deleted once nothing can be paid with it.';

create index payments_open on payments (created_at) where paid_at is null;
create index payments_of_other_amounts on payments (paid_at) where amount_differs;
-- Rows of one user, by the user alone: a user belongs to one app, and the foreign keys check without it.
create index payments_of_user on payments (user_id, created_at);
create index payments_of_app on payments (owner, created_at, id);
create index payments_by_time on payments (created_at, id);

-- What operators must look at: money without a service for it. The list is short, whatever was sold.
create index payments_kept on payments (paid_at) where stopped_for is not null and returned_at is null;
create index payments_kept_unpaid on payments (created_at) where paid_at is null and received_currency is not null;

create table payment_losses (
  processor_id text primary key,
  payment_id text not null references payments (id),
  kind text not null constraint payment_losses_kind_known check (kind in ('charge', 'refund', 'dispute')),
  amount_cents integer not null constraint payment_losses_amount_possible check (amount_cents >= 0),
  status text,
  is_live boolean not null,
  rank integer not null,
  made_at timestamptz,
  said_at timestamptz not null,
  accepted_cents integer not null default 0
);

comment on table payment_losses is 'What the processor last reported of each object that takes money from a payment.';
comment on column payment_losses.processor_id is 'The charge, whose amount is the cumulative figure of its refunds; the refund; or the dispute.';
comment on column payment_losses.is_live is 'Whether it takes its amount now. A failed refund and a won dispute have given it back.';
comment on column payment_losses.rank is 'The order of its states, see loss_state.';
comment on column payment_losses.accepted_cents is 'The part in spite of which an operator has let the account trade.';

create index payment_losses_of_payment on payment_losses (payment_id);
create index payment_losses_disputes on payment_losses (status) where kind = 'dispute';

create table processor_events (
  id text primary key,
  type text not null,
  said_at timestamptz not null,
  fact jsonb not null,
  object_id text,
  source text not null constraint processor_events_source_known check (source in ('notified', 'listed')),
  payment_id text references payments (id),
  outcome text constraint processor_events_outcome_known check (outcome in ('applied', 'stale', 'not_ours', 'unreadable')),
  received_at timestamptz not null default now(),
  acted_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  closed_why text
);

comment on table processor_events is 'Events of the processor, from notifications or from its list. Each is stored once, before it is applied.';
comment on column processor_events.fact is 'The part of the event that the service acts on. No personal data is stored.';
comment on column processor_events.said_at is 'Time by the processor''s clock, to the second.';
comment on column processor_events.object_id is
  'The processor''s id of the object by which our rows name it. Null if the event is about nothing that the service follows.';
comment on column processor_events.outcome is
  'Null: still to be applied. not_ours: no row names its object; it is taken up again only if a row comes to name it. unreadable: a member is '
  'missing or impossible; nothing was applied.';

comment on column processor_events.closed_at is
  'Of an unreadable event: when an operator closed it. Until then it stops the account it is about, and it is not deleted.';

create index processor_events_of_payment on processor_events (payment_id, said_at);
create index processor_events_open on processor_events (received_at) where acted_at is null;
create index processor_events_by_age on processor_events (received_at);
create index processor_events_of_nobody on processor_events (object_id) where outcome = 'not_ours' and object_id is not null;
create index processor_events_unreadable on processor_events (received_at) where outcome = 'unreadable';
create index processor_events_unclosed on processor_events (object_id) where outcome = 'unreadable' and closed_at is null;
create index processor_events_suspect on processor_events (said_at)
where closed_at is null and (fact ->> 'about' = 'warning' or (type = 'payment_intent.succeeded' and outcome = 'not_ours'));

create table processor_cursor (
  only_row boolean primary key default true constraint processor_cursor_one_row check (only_row),
  sweep integer not null default 1,
  opened_at timestamptz not null default now(),
  since timestamptz not null,
  after_event text,
  is_read boolean not null default false
);

comment on table processor_cursor is 'The sweep over the processor''s list of events, which is read from the newest event back to the last sweep.';
comment on column processor_cursor.sweep is 'The number of the sweep. A writer of an earlier sweep moves nothing.';
comment on column processor_cursor.opened_at is 'The first page was read after this time.';
comment on column processor_cursor.since is 'Older events are not read.';
comment on column processor_cursor.after_event is 'The oldest event read so far. Moves with every page.';
