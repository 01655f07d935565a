-- End users of the apps. An address belongs to one user per app.
create table users (
  id text primary key,
  app_id text not null references apps (id),
  email text not null,
  password_hash text not null,
  verified_at timestamptz,
  totp_seed bytea,
  totp_step bigint,
  totp_enabled_at timestamptz,
  created_at timestamptz not null default now(),
  constraint users_email_once unique (app_id, email),
  constraint users_totp_has_seed check (totp_enabled_at is null or (totp_seed is not null and totp_step is not null))
);
create index users_unverified on users (created_at) where verified_at is null;

comment on column users.email is 'Normalised: NFKC, lower case, no spaces around.';

create table user_sessions (
  id text primary key,
  digest bytea not null constraint user_sessions_digest_taken unique,
  user_id text not null references users (id) on delete cascade,
  address text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index user_sessions_by_user on user_sessions (user_id, created_at);
create index user_sessions_by_age on user_sessions (expires_at);

-- The one code per address that counts. An address without an unverified user has one too, which nothing matches:
-- what a guesser sees is the same.
create table one_time_codes (
  app_id text not null references apps (id),
  email text not null,
  mark bytea,
  attempts_left integer not null constraint one_time_codes_attempts_counted check (attempts_left >= 0),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (app_id, email)
);
create index one_time_codes_by_age on one_time_codes (expires_at);

comment on column one_time_codes.mark is 'Keyed digest of the code.';

create table password_resets (
  app_id text not null references apps (id),
  email text not null,
  user_id text references users (id) on delete cascade,
  digest bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (app_id, email)
);
create index password_resets_by_age on password_resets (expires_at);

-- Addresses of the net from which an account was entered rightly: tries from there do not share the budget of strangers.
create table known_addresses (
  account text not null,
  address bytea not null,
  seen_at timestamptz not null default now(),
  primary key (account, address)
);
create index known_addresses_by_age on known_addresses (seen_at);

comment on column known_addresses.address is 'SHA-256 of the address.';

create function note_known_address(of_account text, from_address bytea) returns void
language sql as $$
  insert into known_addresses (account, address)
  values (of_account, from_address)
  on conflict (account, address) do update set seen_at = now()
$$;

create function set_code(app text, address text, code_mark bytea, tries integer, lives_s integer) returns void
language sql as $$
  insert into one_time_codes (app_id, email, mark, attempts_left, expires_at)
  values (app, address, code_mark, tries, now() + make_interval(secs => lives_s))
  on conflict (app_id, email) do update
  set mark = excluded.mark, attempts_left = excluded.attempts_left, expires_at = excluded.expires_at, used_at = null
$$;
