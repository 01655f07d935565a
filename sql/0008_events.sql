create table event_logs (
  owner text primary key,
  app_id text generated always as (case when not starts_with(owner, 'ptn_') then owner end) stored references apps (id),
  partner_id text generated always as (case when starts_with(owner, 'ptn_') then owner end) stored references partners (id),
  last_position bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

comment on table event_logs is
  'The end of the event log of each app and partner. A writer locks the row until the commit, so positions have no gaps.';
comment on column event_logs.owner is 'An app or a partner.';
comment on column event_logs.app_id is 'The owner if it is an app. Proves that it exists.';
comment on column event_logs.partner_id is 'The owner if it is a partner. Proves that it exists.';

create table events (
  id text not null,
  owner text not null,
  type text not null,
  position bigint not null,
  created_at timestamptz not null,
  from_app boolean not null default false,
  data text not null,
  primary key (id, owner), -- an id is of one owner, as sortable_id makes them; with the owner, so that a delivery is of its event's owner
  constraint events_position_once unique (owner, position)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);

comment on table events is 'Events of an app or a partner, in commit order. Each event is written by the transaction that makes it true.';
comment on column events.owner is 'An app or a partner.';
comment on column events.created_at is 'Rises with the position: a time is found by position_since, without an index of its own.';
comment on column events.from_app is 'Whether the app itself had it sent.';
comment on column events.data is 'The data of the envelope, byte for byte as signed and sent. event_body makes the envelope, always the same.';

-- Events of one type. Nearly all events of a partner are about its orders: they are found by their positions.
create index events_by_type on events (owner, type, position) where type <> 'order.updated';

create table webhook_endpoints (
  id text primary key,
  owner text not null,
  app_id text generated always as (case when not starts_with(owner, 'ptn_') then owner end) stored references apps (id),
  partner_id text generated always as (case when starts_with(owner, 'ptn_') then owner end) stored references partners (id),
  url text not null,
  events text[] not null constraint webhook_endpoints_subscribed check (cardinality(events) > 0),
  description text,
  active boolean not null default true,
  deactivated_because text constraint webhook_endpoints_reason_known
    check (deactivated_because in ('asked', 'gone', 'failing', 'stolen')),
  failing_since timestamptz,
  recovered_at timestamptz,
  credentials jsonb not null default '{}',
  lanes integer not null default 0 constraint webhook_endpoints_four_lanes check (lanes between 0 and 15),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_inactive_has_reason check (active = (deactivated_because is null)),
  constraint webhook_endpoints_with_owner unique (id, owner)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

comment on table webhook_endpoints is 'Webhook endpoints of apps and partners, and the events they subscribe to.';
comment on column webhook_endpoints.owner is 'An app or a partner.';
comment on column webhook_endpoints.app_id is 'The owner if it is an app. Proves that it exists.';
comment on column webhook_endpoints.partner_id is 'The owner if it is a partner. Proves that it exists.';
comment on column webhook_endpoints.failing_since is 'The first failure since the last success. Null while deliveries succeed.';
comment on column webhook_endpoints.recovered_at is 'When missed deliveries were last queued again.';
comment on column webhook_endpoints.credentials is
  'The keys of the partner or secrets of the app that set its address or were shown its secret, each with when it last did.';
comment on column webhook_endpoints.lanes is
  'One bit for each lane (webhook:<endpoint>:<0 to 3>) that has a job. Set and cleared under the lock on this row.';

create index webhook_endpoints_by_owner on webhook_endpoints (owner, created_at);

create table webhook_secrets (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id),
  sealed bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);

comment on table webhook_secrets is 'Signing secrets of endpoints. Every secret that has not expired signs each delivery.';
comment on column webhook_secrets.expires_at is 'Set when it is rotated out: how long it still signs in addition to the new one.';

create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id);

create table webhook_deliveries (
  id text primary key,
  owner text not null,
  endpoint_id text not null,
  event_id text not null,
  state text not null default 'pending' constraint webhook_deliveries_state_known
    check (state in ('pending', 'sending', 'delivered', 'failed', 'cancelled')),
  due_at timestamptz not null default now(),
  lane integer constraint webhook_deliveries_four_lanes check (lane between 0 and 3),
  fence integer not null default 0,
  attempts integer not null default 0,
  retry_step integer not null default 0,
  response_status integer,
  error text,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  ended_at timestamptz,
  constraint webhook_deliveries_once_per_endpoint unique (event_id, endpoint_id),
  constraint webhook_deliveries_in_a_lane check ((state = 'sending') = (lane is not null)),
  constraint webhook_deliveries_ended_at_end check ((state in ('pending', 'sending')) = (ended_at is null)),
  constraint webhook_deliveries_of_endpoints_owner foreign key (endpoint_id, owner) references webhook_endpoints (id, owner),
  constraint webhook_deliveries_of_events_owner foreign key (event_id, owner) references events (id, owner)
) with (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_limit = 2000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000
);

comment on table webhook_deliveries is
  'One event for one endpoint. A delivery is not an intent: it is repeated for days with one id until the receiver accepts it, and a lost '
  'response only causes one more attempt.';
comment on column webhook_deliveries.owner is
  'The owner of the endpoint and of the event: a delivery never takes an event of one owner to an endpoint of another.';
comment on column webhook_deliveries.id is 'The same on every attempt, so that receivers recognize repeats.';
comment on column webhook_deliveries.fence is 'Incremented by every claim. An outcome with an older fence changes nothing.';
comment on column webhook_deliveries.attempts is 'How often it was sent or may have been sent.';
comment on column webhook_deliveries.retry_step is 'The position in the retry plan: failures since it was queued or queued again.';

create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where state = 'pending';
create unique index webhook_deliveries_one_per_lane on webhook_deliveries (endpoint_id, lane) where state = 'sending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id);
comment on index webhook_deliveries_one_per_lane is 'With four lanes, at most four deliveries of an endpoint are in flight, whatever the code does.';
-- Failed deliveries are counted every few seconds; that must not read delivered ones.
create index webhook_deliveries_failed on webhook_deliveries (ended_at) where state = 'failed';
-- Deliveries that failed or were cancelled, newest first, however many were delivered.
create index webhook_deliveries_dead on webhook_deliveries (id) where state in ('failed', 'cancelled');

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id),
  n integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  error text,
  response text,
  primary key (delivery_id, n)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);

comment on table webhook_attempts is 'Every attempt of a delivery and what the receiver responded.';
comment on column webhook_attempts.error is 'Why it failed, as a code of this service. Null for a success.';
comment on column webhook_attempts.response is 'The first 2 KiB of the response body.';
