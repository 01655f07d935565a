create table intents (
  id uuid primary key,
  position bigint generated always as identity,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  kind text not null,
  owner text not null,
  lane text,
  alongside text,
  request jsonb not null,
  digest bytea not null,
  request_id text,
  given_id uuid,
  -- What follows changes while the intent is worked on, in this order: it stands last, so that the log repeats nothing of the above.
  is_exit boolean not null default false,
  has_turn boolean not null default false,
  sender_lost boolean not null default false,
  fence integer not null default 0,
  attempts integer not null default 0,
  reconcile_attempts integer not null default 0,
  sending_at timestamptz,
  left_at timestamptz,
  reached_at timestamptz,
  answered_at timestamptz,
  presumed_sent_at timestamptz,
  upstream text,
  pace text,
  unknown_because text,
  sent_payload jsonb,
  state text not null default 'queued' constraint intents_state_known
    check (state in ('queued', 'running', 'in_doubt', 'succeeded', 'failed', 'expired')),
  phase text not null generated always as (case when state in ('queued', 'running') then 'pending' else state end) stored,
  waits_at text generated always as (case when state = 'queued' then upstream end) stored,
  settled_at timestamptz,
  responded_at timestamptz,
  outcome jsonb,
  constraint intents_settled_has_outcome
    check ((state in ('succeeded', 'failed', 'expired')) = (settled_at is not null and outcome is not null))
) with (
  fillfactor = 40, -- an intent more than doubles until it ends: its versions stay on one page, and so does what the log says of them
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);

comment on table intents is 'One row per effect to achieve at an upstream. The id is the idempotency key of the effect everywhere.';
comment on column intents.kind is 'The task that executes it, for example network/place.';
comment on column intents.owner is 'The partner or app that submitted it.';
comment on column intents.alongside is
  'What it is about and in which way, for example BTC-USDC long: it runs beside intents of its lane about something else, or about the same in '
  'the same way. Null: it runs alone.';
comment on column intents.has_turn is 'Whether it got a job while an earlier intent of its lane was open.';
comment on column intents.given_id is
  'The caller''s own name of the order that it places; its id is made of it and the owner (order_id_of). Null: the caller gave none.';
comment on column intents.fence is 'Incremented by every claim. A write with an older fence changes nothing.';
comment on column intents.sending_at is 'Set and committed before the first byte may leave. Cleared only if it is proven that none left.';
comment on column intents.sent_payload is 'The exact payload, resolved and committed with sending_at. Reconciliation uses it.';
comment on column intents.digest is 'SHA-256 of the request. It distinguishes a repeat from a reuse of the id.';

comment on column intents.left_at is
  'When all of its request had left, if requests at its upstream were counted by proof then (see release_by_proof); else not recorded.';
comment on column intents.reached_at is
  'When the upstream first responded to a look-up after the request was sent: the request no longer waits there.';
comment on column intents.answered_at is 'When the upstream took the request without reporting what came of it: the request is over there.';
comment on column intents.responded_at is 'When the response arrived that ended it; null if a record did. It was at the upstream until then.';
comment on column intents.unknown_because is
  'Why it was last in doubt: a code or sentence of this service, or a code of Node. It stays when the intent ends.';
comment on column intents.presumed_sent_at is
  'Of an intent that a restored database shows as unsent: the earliest time at which it may have been sent. It is looked for and never sent.';
comment on column intents.sender_lost is 'Whether the worker that marked it as sending ended before the response. Its request may never have left.';
comment on column intents.is_exit is
  'While it waits for a slot: whether it reduces what its trader risks (a cancel, a close, protection). Exits get slots first.';
comment on column intents.pace is 'While it is queued: what its upstream takes only so many of in a minute (see paces), if it waits for that.';
comment on column intents.phase is
  'Its state, and pending for queued and running. Indexes name it instead of the state: an intent that begins to be sent stays in its page.';
comment on column intents.waits_at is 'The upstream of limited concurrency for a slot of which it waits.';
comment on column intents.upstream is 'The upstream of limited concurrency whose slot it holds, or waits for while queued.';

-- No index names a column that changes when an intent begins to be sent: state, fence, sending_at, upstream, sent_payload.
-- In the order of characters: the lanes of one trader follow each other. Also those without a lane: open intents are found by it and
-- intents_in_doubt, so a condition for both is an `or`.
create index intents_in_lane on intents (lane text_pattern_ops, position) where phase = 'pending';
-- Intents that run beside the head of their lane.
create index intents_with_turn on intents (lane) where has_turn and phase = 'pending';
-- For retention, oldest first.
create index intents_settled on intents (kind, settled_at) where settled_at is not null;
-- For operators: intents with problems, however many have succeeded.
create index intents_troubled on intents (created_at) where phase in ('in_doubt', 'failed', 'expired');
create index intents_expired on intents (created_at) where phase = 'expired';
-- Intents that ended although nothing proves what came of them.
create index intents_undecided on intents (created_at) where outcome -> 'problem' ->> 'effect' = 'unknown';
-- Intents in doubt of one lane, read before every signature.
create index intents_in_doubt on intents (lane) where phase = 'in_doubt';
-- For operators who have only the request id of a response.
create index intents_by_request on intents (request_id) where request_id is not null;

-- Closes in flight of a network trader, read before exits are placed.
create index intents_closing on intents ((request ->> 'trader'))
where kind = 'network/close' and phase in ('pending', 'in_doubt');

-- Intents that wait for a slot of an upstream: exits first, then in order of acceptance.
create index intents_without_slot on intents (waits_at, is_exit desc, position) where waits_at is not null;
-- The same, by owner.
create index intents_without_slot_by_owner on intents (waits_at, is_exit, owner, position) where waits_at is not null;

-- Tables that the log has nothing of, since all that they hold follows from intents (see restore_unlogged): what every order changes costs it
-- nothing.
create unlogged table unlogged_state (
  name text primary key constraint unlogged_state_one_row check (name = 'kept'),
  restored_at timestamptz not null default now()
);

comment on table unlogged_state is
  'One row while lanes, slots and paces hold what they should. PostgreSQL empties them after a crash, and on a standby that takes over, this table '
  'too: then they are made again from the intents (restore_unlogged, claim_slot).';

insert into unlogged_state (name) values ('kept');

create unlogged table lanes (
  name text primary key,
  head uuid
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

comment on table lanes is 'Ordering keys. Only the head of a lane has a job, and those behind it that may run alongside it.';

create unlogged table upstream_slots (
  upstream text not null,
  slot integer not null,
  for_exits boolean not null default false,
  intent_id uuid,
  hold_s double precision,
  held_until timestamptz,
  is_lent boolean not null default false,
  primary key (upstream, slot)
) with (fillfactor = 50);

comment on table upstream_slots is
  'Slots for requests at an upstream that works on a limited number at once. A slot outlives a killed process until held_until, and a crash of '
  'PostgreSQL by the intents that were sent (restore_slots).';
comment on column upstream_slots.is_lent is
  'No slot, but a request that has lent its own to another one by proof, and may still be at the upstream until held_until.';
comment on column upstream_slots.for_exits is 'Whether only exits may take it, so that they never wait behind entries.';

create unlogged table upstream_proofs (
  upstream text primary key,
  proven integer not null
) with (fillfactor = 50);

comment on table upstream_proofs is 'How many requests an upstream provably works on beside those in doubt, since one of these lent its slot.';
comment on column upstream_proofs.proven is
  'Those that were there at a look-up which found a thread free, and one. A request that then is in doubt takes one off.';

create unlogged table paces (
  name text primary key,
  taken timestamptz[] not null default '{}'
) with (fillfactor = 50);

comment on table paces is 'What an upstream takes only so many of in a minute, for example the signals of a trader: when the latest were sent.';

create table idempotency_keys (
  owner text not null,
  key text not null,
  digest bytea not null,
  intent_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (owner, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);

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

comment on table worker_processes is
  'Running worker processes. Each holds a session-level advisory lock on its lock_key and updates seen_at. A worker without a heartbeat and '
  'without its lock is dead. One without a heartbeat for long counts as dead; when it resumes, the fences of its intents have moved on.';

-- All kinds of intents, as defined in src/. A test compares both. A verb of a venue is a row with its venue: nothing else names it.
create table intent_kinds (
  kind text primary key,
  upstream text not null,
  venue text,
  is_exit boolean not null default false,
  retention text not null constraint intent_kinds_retention_known
    check (retention in ('alone', 'with_order', 'alone_or_with_order', 'with_money'))
);

comment on table intent_kinds is 'One row per verb: its task, which also reconciles it, and the retention of its settled intents.';
comment on column intent_kinds.kind is 'The name of the task, for example network/place.';
comment on column intent_kinds.upstream is 'The upstream that it writes to.';
comment on column intent_kinds.venue is 'The venue of an order verb, by its name in the contract. Null for all other verbs.';
comment on column intent_kinds.is_exit is 'Whether it reduces what its trader risks, whatever its request says: a cancellation, a close, protection.';
comment on column intent_kinds.retention is
  'alone: pruned by the intent''s age. with_order: pruned with the order it placed. alone_or_with_order: with its order if it placed one, else '
  'alone. with_money: never pruned.';

insert into intent_kinds (kind, upstream, venue, is_exit, retention)
values
  ('accounts/provision', 'netvenue', null, false, 'alone'),
  ('exchange/cancel', 'exvenue', 'exvenue', true, 'alone'),
  ('exchange/close', 'exvenue', 'exvenue', true, 'alone'),
  ('exchange/place', 'exvenue', 'exvenue', false, 'with_order'),
  ('exchange/protect', 'exvenue', 'exvenue', true, 'alone'),
  ('kyc/session', 'processor', null, false, 'alone'),
  ('network/cancel', 'netvenue', 'netvenue', true, 'alone'),
  ('network/close', 'netvenue', 'netvenue', true, 'alone'),
  ('network/edit', 'netvenue', 'netvenue', false, 'alone'),
  ('network/place', 'netvenue', 'netvenue', false, 'with_order'),
  ('network/protect', 'netvenue', 'netvenue', true, 'alone_or_with_order'),
  ('payments/checkout', 'processor', null, false, 'with_money'),
  ('payments/refund', 'processor', null, false, 'with_money'),
  ('payouts/account', 'processor', null, false, 'with_money'),
  ('payouts/link', 'processor', null, false, 'alone'),
  ('payouts/pay', 'processor', null, false, 'with_money'),
  ('payouts/reverse', 'processor', null, false, 'with_money'),
  ('payouts/submit', 'processor', null, false, 'with_money'),
  ('registration/purchase', 'registrar', null, false, 'with_money');
