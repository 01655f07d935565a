create table subaccounts (
  synthetic_hotkey text primary key,
  entity_hotkey text not null,
  subaccount_id integer not null,
  subaccount_uuid text,
  owner text not null,
  intent_id uuid not null constraint subaccounts_one_per_intent unique,
  asset_class text not null,
  account_size numeric not null constraint subaccounts_size_positive check (account_size > 0),
  ex_address text,
  payout_address text,
  link_proof text constraint subaccounts_link_proof_known check (link_proof in ('session', 'signature', 'operator')),
  status text not null,
  created_at timestamptz not null default now(),
  constraint subaccounts_id_once_per_entity unique (entity_hotkey, subaccount_id)
);

comment on table subaccounts is 'Subaccounts of the network, each owned by the partner or app it was created for.';
comment on column subaccounts.status is 'The network''s status: pending until its collateral is burnt, then active or failed.';

comment on column subaccounts.link_proof is 'How the owner proved control of ex_address when it was linked; null if it did not.';

create index subaccounts_by_owner on subaccounts (owner);
create index subaccounts_by_number on subaccounts (subaccount_id);
create index subaccounts_by_wallet on subaccounts (ex_address) where ex_address is not null;

create table wallet_proofs (
  owner text not null,
  ex_wallet text not null constraint wallet_proofs_wallet_lower check (ex_wallet = lower(ex_wallet)),
  proven_at timestamptz not null default now(),
  primary key (owner, ex_wallet)
);

comment on table wallet_proofs is 'Wallets whose control a partner has proven by a signature.';

create table orders (
  id uuid primary key,
  created_at timestamptz not null default now(),
  venue text not null,
  owner text not null,
  trader text not null,
  pair text not null,
  handle text,
  given_id uuid,
  terms jsonb,
  lifecycle text constraint orders_lifecycle_known check (lifecycle in ('resting', 'filled', 'cancelled', 'ended')),
  absent_since timestamptz,
  executed jsonb,
  protection jsonb,
  is_resting boolean not null generated always as (lifecycle is not distinct from 'resting') stored,
  has_waiting_triggers boolean not null generated always as (executed ->> 'trigger_status' is not distinct from 'pending_parent_fill') stored,
  exchange_number text generated always as (case when venue = 'exvenue' then executed ->> 'ex_order_id' end) stored
) with (
  fillfactor = 50, -- see intents
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);

comment on table orders is 'Orders in their present state. The state of the intent says whether an order was accepted.';
comment on column orders.id is 'The id of the intent that placed it. Also the network''s order uuid and the exchange''s cloid.';
comment on column orders.venue is 'The venue of the verb that placed it, as in intent_kinds.';
comment on column orders.handle is 'The venue''s id of the order if it is not the id of this row, because the venue created it with another order.';
comment on column orders.given_id is 'Its owner''s own name of it, as in its intent. The venue has the id.';
comment on column orders.absent_since is 'When the venue''s complete records first lacked a resting order that they have not shown since.';
comment on column orders.terms is
  'The present terms, with every edit the venue has accepted. Null: as the request of its intent has them; see terms_of.';

comment on column orders.protection is 'The result of the exits that a network order carried: state none, placed or failed, and the error.';

create unique index orders_handle_once on orders (trader, handle) where handle is not null;
create index orders_by_trader on orders (trader, created_at);
-- Orders whose take-profit or stop-loss waits for the parent's fill.
create index orders_with_waiting_triggers on orders (trader) where has_waiting_triggers;
create index orders_resting on orders (trader) where is_resting;
-- An order by the exchange's number, which cancellations use.
create index orders_by_exchange_number on orders (exchange_number) where exchange_number is not null;

create table exit_plans (
  trader text not null,
  pair text not null,
  leg text not null constraint exit_plans_leg_known check (leg in ('tp', 'sl')),
  version bigint not null,
  intent_id uuid not null,
  oid text,
  replaced text[] not null default '{}',
  decided_at timestamptz not null default now(),
  primary key (trader, pair, leg)
);

comment on table exit_plans is
  'The newest successful command about a take-profit or stop-loss of an exchange wallet in a pair; pair * stands for all pairs. An earlier '
  'command changes nothing any more, even if it is found only later to have acted.';
comment on column exit_plans.version is 'The position of the command among all intents: commands count in the order of their acceptance.';
comment on column exit_plans.oid is 'The exchange''s number of the exit that the command placed; null if it ended the exits.';
comment on column exit_plans.replaced is
  'The exchange''s numbers of exits that earlier commands placed here and whose cancellation is not submitted yet. They may have been found only '
  'after this command had read what rests.';

create table enrollments (
  owner text not null,
  ex_wallet text not null,
  payout_wallet text,
  label text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (owner, ex_wallet)
);

comment on table enrollments is 'Enrolled exchange wallets, as v1 sessions show them. The current key is the live row of signing_keys.';

create table signing_keys (
  id uuid primary key,
  owner text not null,
  ex_wallet text not null constraint signing_keys_wallet_lower check (ex_wallet = lower(ex_wallet)),
  signer text not null constraint signing_keys_signer_lower check (signer = lower(signer)),
  key_version integer not null,
  sealed bytea,
  verified_at timestamptz,
  waits boolean not null default false,
  valid_until timestamptz,
  rejected_at timestamptz,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  constraint signing_keys_version_once unique (owner, ex_wallet, key_version)
);

comment on table signing_keys is
  'Signing keys of exchange wallets, one row per key that was ever enrolled. The key is sealed and is wiped when it is no longer needed.';
comment on column signing_keys.signer is 'The address of the key: the wallet itself, or an agent of it at the exchange.';
comment on column signing_keys.valid_until is
  'When the exchange ends the agent, as it said at enrollment; null for the wallet''s own key and for an agent without an end.';
comment on column signing_keys.rejected_at is
  'When the exchange rejected the agent in an action. The key signs nothing more until it is enrolled again.';
comment on column signing_keys.retired_at is
  'When it was rotated out or revoked. A retired agent is never enrolled again: its old signed actions could be replayed.';

comment on column signing_keys.waits is 'Whether it signs only once the exchange has confirmed it. Until then the live key of the wallet does.';

create unique index signing_keys_one_live on signing_keys (owner, ex_wallet, waits) where retired_at is null;
create index signing_keys_by_signer on signing_keys (signer);

create table signer_nonces (
  signer text primary key,
  last_nonce bigint not null
);

comment on table signer_nonces is
  'The last nonce of each signer. The exchange accepts every nonce once, so there is one durable counter per signer, whoever enrolled it.';

create table burnt_nonces (
  signer text not null,
  nonce bigint not null,
  attempted_at timestamptz not null default now(),
  primary key (signer, nonce)
);

comment on table burnt_nonces is 'Nonces that a no-op was sent for. A later rejection of the nonce as used may be due to that no-op.';
