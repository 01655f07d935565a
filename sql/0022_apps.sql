-- Tenant apps of v2. Secrets and tokens are kept as SHA-256 digests only.
create table apps (
  id text primary key,
  slug text not null constraint apps_slug_taken unique,
  name text not null,
  contact_email text,
  entity_hotkey text constraint apps_entity_hotkey_taken unique,
  network_key bytea,
  allowed_scopes text[] not null constraint apps_hold_a_scope check (cardinality(allowed_scopes) > 0),
  connect_return_url text,
  connect_refresh_url text,
  verification_level text not null default 'none' constraint apps_verification_level_known
    check (verification_level in ('none', 'basic', 'full')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint apps_network_key_needs_hotkey check (network_key is null or entity_hotkey is not null)
);

comment on column apps.id is 'Also the client_id of the app.';
comment on column apps.entity_hotkey is 'The tenant''s network identity; null stands for the platform''s own.';
comment on column apps.network_key is 'The key of the tenant''s miner, sealed; null stands for the platform''s miner.';

create table app_secrets (
  id text primary key,
  app_id text not null references apps (id),
  digest bytea not null constraint app_secrets_digest_taken unique,
  created_at timestamptz not null default now(),
  superseded_at timestamptz,
  expires_at timestamptz
);
create unique index app_secrets_one_current on app_secrets (app_id) where superseded_at is null;

comment on column app_secrets.expires_at is 'Set when it is superseded: how long the overlap lasts.';

create table app_tokens (
  digest bytea primary key,
  app_id text not null references apps (id),
  secret_id text not null references app_secrets (id),
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index app_tokens_by_app on app_tokens (app_id);
create index app_tokens_by_age on app_tokens (expires_at);

comment on table app_tokens is 'A token is good until it expires, and never longer than the secret that bought it.';

-- Gives an app a new secret. The current one lives on for `overlap_s`; those before it no longer than that.
-- With `bought_with`, only where that is still the current secret: of many rotations by one token exactly one takes place.
-- No row: another rotation came first.
create function rotate_app_secret(app text, bought_with text, new_id text, new_digest bytea, overlap_s integer)
returns table (previous_expires_at timestamptz)
language plpgsql as $$
begin
  perform from apps a where a.id = app for update;
  if not found then
    return;
  end if;
  if bought_with is not null
    and not exists (select from app_secrets s where s.id = bought_with and s.app_id = app and s.superseded_at is null) then
    return;
  end if;
  update app_secrets s
  set superseded_at = coalesce(s.superseded_at, now()),
    expires_at = least(s.expires_at, now() + make_interval(secs => overlap_s))
  where s.app_id = app and (s.expires_at is null or s.expires_at > now());
  insert into app_secrets (id, app_id, digest) values (new_id, app, new_digest);
  return query select now() + make_interval(secs => overlap_s);
end $$;
