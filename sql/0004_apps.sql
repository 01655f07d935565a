create table apps (
  id text primary key,
  slug text not null constraint apps_slug_taken unique,
  name text not null,
  contact_email text,
  entity_hotkey text constraint apps_entity_hotkey_taken unique,
  network_key bytea,
  allowed_scopes text[] not null constraint apps_hold_a_scope check (cardinality(allowed_scopes) > 0),
  allowed_origins text[] not null default '{}',
  connect_return_url text,
  connect_refresh_url text,
  require_reauthentication boolean not null default false,
  verification_level text not null default 'none' constraint apps_verification_level_known
    check (verification_level in ('none', 'basic', 'full')),
  requests_per_minute integer not null default 60000 constraint apps_quota_positive check (requests_per_minute between 1 and 10000000),
  daily_limits jsonb not null default '{}' constraint apps_daily_limits_named check (jsonb_typeof(daily_limits) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint apps_network_key_needs_hotkey check (network_key is null or entity_hotkey is not null)
);

comment on table apps is 'Tenant apps of v2.';
comment on column apps.id is 'Also the client_id of the app.';
comment on column apps.require_reauthentication is
  'Whether users must have proven their password within 5 minutes before they create a trader key, change their authenticator, or open or change '
  'a payout account or submit a payout.';
comment on column apps.allowed_origins is 'Web origins whose pages may use /v2/trading with a trader''s key.';
comment on column apps.entity_hotkey is 'The tenant''s network identity. Null: the platform''s.';
comment on column apps.requests_per_minute is
  'Requests that each web process takes in a minute from the app, its users and its traders together; as many may come at once.';
comment on column apps.daily_limits is 'Daily budgets other than the general ones, by name.';
comment on column apps.network_key is 'The key of the tenant''s miner, sealed. Null: the platform''s miner.';

create table app_secrets (
  id text primary key,
  app_id text not null references apps (id),
  digest bytea not null constraint app_secrets_digest_taken unique,
  hint text not null,
  created_at timestamptz not null default now(),
  superseded_at timestamptz,
  expires_at timestamptz,
  last_used_at timestamptz
);

comment on table app_secrets is 'Client secrets of apps, only as SHA-256 digests. At most one is current.';
comment on column app_secrets.hint is 'The first characters of the secret, so that people can distinguish secrets.';
comment on column app_secrets.last_used_at is 'When a request by one of its tokens was last recorded, to the minute.';
comment on column app_secrets.expires_at is 'Set when a new secret replaces it: the end of the overlap.';

create unique index app_secrets_one_current on app_secrets (app_id) where superseded_at is null;

create table app_tokens (
  digest bytea primary key,
  app_id text not null references apps (id),
  secret_id text not null references app_secrets (id),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

comment on table app_tokens is 'Access tokens of apps. A token is valid until it expires, but not longer than the secret it was issued for.';

create index app_tokens_by_app on app_tokens (app_id);
create index app_tokens_by_age on app_tokens (expires_at);

create table app_requests (
  id text primary key,
  company_name text not null,
  slug text not null,
  contact_email text not null,
  contact_name text,
  website text,
  use_case text not null,
  status text not null default 'pending' constraint app_requests_status_known
    check (status in ('pending', 'approved', 'declined')),
  app_id text references apps (id),
  decline_reason text,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  constraint app_requests_decided check ((status = 'pending') = (decided_at is null)),
  constraint app_requests_approved_has_app check ((status = 'approved') = (app_id is not null))
);

comment on table app_requests is 'Requests for access to v2.';

create index app_requests_by_age on app_requests (created_at, id);

create table reveal_links (
  id text primary key,
  digest bytea not null constraint reveal_links_digest_taken unique,
  app_id text not null references apps (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  superseded_at timestamptz,
  opened_at timestamptz
);

comment on table reveal_links is
  'One-time links that show an app''s credentials. The secret is created when the link is opened; before that there is none to steal.';

create unique index reveal_links_one_current on reveal_links (app_id) where superseded_at is null;
