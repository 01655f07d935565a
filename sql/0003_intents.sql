create table intents (
  id uuid primary key,
  kind text not null,
  owner text not null,
  lane text,
  alongside text,
  has_turn boolean not null default false,
  state text not null default 'queued' constraint intents_state_known
    check (state in ('queued', 'running', 'in_doubt', 'succeeded', 'failed', 'expired')),
  request jsonb not null,
  sent_payload jsonb,
  outcome jsonb,
  digest bytea not null,
  request_id text,
  fence integer not null default 0,
  attempts integer not null default 0,
  reconcile_attempts integer not null default 0,
  position bigint generated always as identity,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  sending_at timestamptz,
  sender_lost boolean not null default false,
  presumed_sent_at timestamptz,
  reached_at timestamptz,
  unknown_because text,
  settled_at timestamptz,
  upstream text,
  constraint intents_settled_has_outcome
    check ((state in ('succeeded', 'failed', 'expired')) = (settled_at is not null and outcome is not null))
) with (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);

comment on table intents is 'One row per effect to achieve at an upstream. The id is the idempotency key of the effect everywhere.';
comment on column intents.kind is 'The task that executes it, for example orders/place.';
comment on column intents.owner is 'The partner or app that submitted it.';
comment on column intents.alongside is 'What it is about and in which way, for example BTC-USDC long: it runs beside intents of its lane about something else, or about the same in the same way. Null: it runs alone.';
comment on column intents.has_turn is 'Whether it got a job while an earlier intent of its lane was open.';
comment on column intents.fence is 'Incremented by every claim. A write with an older fence changes nothing.';
comment on column intents.sending_at is 'Set and committed before the first byte may leave. Cleared only if it is proven that none left.';
comment on column intents.sent_payload is 'The exact payload, resolved and committed with sending_at. Reconciliation uses it.';
comment on column intents.digest is 'SHA-256 of the request. It distinguishes a repeat from a reuse of the id.';
comment on column intents.sender_lost is 'Whether the worker that marked it as sending ended before the response. Its request may never have left.';
comment on column intents.presumed_sent_at is
  'Of an intent that a restored database shows as unsent: the earliest time at which it may have been sent. It is looked for and never sent.';
comment on column intents.reached_at is 'When the upstream first responded to a look-up after the request was sent: the request no longer waits there.';
comment on column intents.unknown_because is 'Why it was last in doubt: a code or sentence of this service, or a code of Node. It stays when the intent ends.';
comment on column intents.upstream is 'The upstream of limited concurrency whose slot it holds, or waits for while queued.';

create index intents_in_lane on intents (lane, position) where state in ('queued', 'running');
-- Intents that run beside the head of their lane.
create index intents_with_turn on intents (lane) where has_turn and state in ('queued', 'running');
create index intents_open on intents (created_at) where state in ('queued', 'running', 'in_doubt');
-- For retention, oldest first.
create index intents_settled on intents (kind, settled_at) where settled_at is not null;
-- For operators: intents with problems, however many have succeeded.
create index intents_troubled on intents (created_at) where state in ('in_doubt', 'failed', 'expired');
create index intents_expired on intents (created_at) where state = 'expired';
-- Intents that ended although nothing proves what came of them.
create index intents_undecided on intents (created_at) where outcome -> 'problem' ->> 'effect' = 'unknown';
-- Intents in doubt of one lane, read before every signature.
create index intents_in_doubt on intents (lane) where state = 'in_doubt';

-- Closes in flight of a network trader, read before exits are placed.
create index intents_closing on intents ((request ->> 'trader'))
where kind = 'orders/close' and state in ('queued', 'running', 'in_doubt');

-- Intents that wait for a slot of an upstream, in order of acceptance.
create index intents_without_slot on intents (upstream, position) where upstream is not null and state = 'queued';
-- For operators who have only the request id of a response.
create index intents_by_request on intents (request_id) where request_id is not null;

create table lanes (
  name text primary key,
  head uuid
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

comment on table lanes is 'Ordering keys. Only the head of a lane has a job, and those behind it that may run alongside it.';

create table idempotency_keys (
  owner text not null,
  key text not null,
  digest bytea not null,
  intent_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (owner, key)
);

comment on table idempotency_keys is 'The intent of a caller''s Idempotency-Key.';

create index idempotency_keys_by_age on idempotency_keys (created_at);
-- An intent is kept while a key refers to it.
create index idempotency_keys_by_intent on idempotency_keys (intent_id);

create table sealed_results (
  intent_id uuid primary key references intents (id) on delete cascade,
  sealed bytea not null
);

comment on table sealed_results is 'Members of an intent''s result that allow acting as a user, sealed. The outcome contains the rest.';

create table worker_processes (
  id uuid primary key,
  lock_key bigint generated always as identity,
  pool_ids text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

comment on table worker_processes is 'Running worker processes. Each holds a session-level advisory lock on its lock_key and updates seen_at. A worker without a heartbeat and without its lock is dead. One without a heartbeat for long counts as dead; when it resumes, the fences of its intents have moved on.';

-- All kinds of intents and the retention of their settled rows, as defined in src/. A test compares both.
create table intent_kinds (
  kind text primary key,
  retention text not null constraint intent_kinds_retention_known
    check (retention in ('alone', 'with_order', 'alone_or_with_order', 'with_money'))
);

comment on table intent_kinds is 'One row per verb: its task, which also reconciles it, and the retention of its settled intents.';
comment on column intent_kinds.kind is 'The name of the task, for example orders/place.';
comment on column intent_kinds.retention is
  'alone: pruned by the intent''s age. with_order: pruned with the order it placed. alone_or_with_order: with its order if it placed one, else alone. with_money: never pruned.';

insert into intent_kinds (kind, retention)
values
  ('accounts/provision', 'alone'),
  ('kyc/session', 'alone'),
  ('orders/cancel', 'alone'),
  ('orders/close', 'alone'),
  ('orders/edit', 'alone'),
  ('orders/exvenue/cancel', 'alone'),
  ('orders/exvenue/close', 'alone'),
  ('orders/exvenue/place', 'with_order'),
  ('orders/exvenue/protect', 'alone'),
  ('orders/place', 'with_order'),
  ('orders/protect', 'alone_or_with_order'),
  ('payments/checkout', 'with_money'),
  ('payments/refund', 'with_money'),
  ('payouts/account', 'with_money'),
  ('payouts/link', 'alone'),
  ('payouts/pay', 'with_money'), ('payouts/reverse', 'with_money'),
  ('payouts/submit', 'with_money'),
  ('registration/purchase', 'with_money');

create table recoveries (
  id bigint primary key generated always as identity,
  since timestamptz not null,
  recovered_at timestamptz not null default now()
);

comment on table recoveries is 'Each time that this database was restored from a backup and recovered. What happened from since to recovered_at is missing in it.';
comment on column recoveries.since is 'The time of the backup.';

create table sightings (
  id uuid primary key,
  kind text not null constraint sightings_kind_known check (kind in ('unknown', 'unsent')),
  seen_at timestamptz not null default now()
);

comment on table sightings is 'Orders at venues that prove that this database is behind its upstreams: it was restored from a backup, or a standby without the last commits took over.';
comment on column sightings.id is 'The id of the order at its venue, and of its intent here.';
comment on column sightings.kind is 'unknown: this service made the id, and no intent has it. unsent: its intent was never sent, by this database.';
comment on column sightings.seen_at is 'When a process noticed it. What was noticed before the newest recovery is over.';
