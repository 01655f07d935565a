create table users (
  id text primary key,
  app_id text not null references apps (id),
  email text not null,
  password_salt bytea not null default uuid_send(gen_random_uuid()),
  password_hash text,
  verified_at timestamptz,
  totp_seed bytea,
  totp_step bigint,
  totp_enabled_at timestamptz,
  totp_session_id text,
  password_proven_at timestamptz,
  created_at timestamptz not null default now(),
  constraint users_email_once unique (app_id, email),
  constraint users_unverified_have_no_password check (password_hash is null or verified_at is not null),
  constraint users_totp_has_seed check (totp_enabled_at is null or (totp_seed is not null and totp_step is not null))
);

comment on table users is 'End users of the apps. An address belongs to one user per app.';
comment on column users.email is 'Normalized: NFKC, lower case, trimmed.';
comment on column users.password_salt is 'The salt of every hash for this address: one computation compares a password with all of them.';
comment on column users.password_hash is
  'Null until the address is verified, and while no password counts: sign-ups gave different ones, and none was set by a reset.';

-- For operators who have only the address of a mail.
create index users_by_email on users (email);
create index users_unverified on users (created_at) where verified_at is null;

comment on column users.totp_session_id is 'The session that began the enrollment of the authenticator.';
comment on column users.password_proven_at is 'The last log-in or renewed proof of the password.';

create table sign_ups (
  user_id text not null references users (id) on delete cascade,
  password_hash text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, password_hash)
);

comment on table sign_ups is
  'The different passwords that sign-ups of an address gave. None of them counts before the address is verified, and then only if it is the one. '
  'Kept for verified addresses too, so that a log-in after a sign-up has the same response for every address.';
comment on column sign_ups.created_at is 'The newest sign-up with this password.';

create index sign_ups_by_age on sign_ups (created_at);

create table user_sessions (
  id text primary key,
  digest bytea not null constraint user_sessions_digest_taken unique,
  user_id text not null references users (id) on delete cascade,
  address text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  proven_at timestamptz,
  revoked_at timestamptz
);

comment on table user_sessions is 'Sessions of end users. Only the token''s digest is stored.';
comment on column user_sessions.proven_at is 'When the password was last proven in this session. Null: it was opened by a mailed code.';

create index user_sessions_by_user on user_sessions (user_id, created_at);
create index user_sessions_by_age on user_sessions (expires_at);

create table one_time_codes (
  app_id text not null references apps (id),
  email text not null,
  hmac bytea,
  attempts_left integer not null constraint one_time_codes_attempts_counted check (attempts_left >= 0),
  tries jsonb not null default '{}',
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (app_id, email)
);

comment on column one_time_codes.tries is 'Attempts by the SHA-256 of the network that they came from, in hex.';
comment on table one_time_codes is
  'The one valid code of an address. An address without an unverified user also gets one, which nothing matches, so that responses do not differ.';
comment on column one_time_codes.hmac is 'Keyed digest of the code.';

create index one_time_codes_by_age on one_time_codes (expires_at);

create table login_codes (
  user_id text not null references users (id) on delete cascade,
  scope bytea not null,
  hmac bytea not null,
  attempts_left integer not null constraint login_codes_attempts_counted check (attempts_left >= 0),
  expires_at timestamptz not null,
  primary key (user_id, scope)
);

comment on table login_codes is 'Mailed codes that allow further attempts at an authenticator code after too many wrong ones.';
comment on column login_codes.scope is
  'SHA-256 of the user''s known network, or of all unknown ones together: unknown callers do not replace the code of the owner.';
comment on column login_codes.hmac is 'Keyed digest of the code.';

create index login_codes_by_age on login_codes (expires_at);

create table password_resets (
  app_id text not null references apps (id),
  email text not null,
  user_id text references users (id) on delete cascade,
  digest bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (app_id, email)
);

comment on table password_resets is 'The one valid password reset token of an address.';

create index password_resets_by_age on password_resets (expires_at);

create table known_addresses (
  account text not null,
  address bytea not null,
  seen_at timestamptz not null default now(),
  primary key (account, address)
);

comment on table known_addresses is 'Network addresses from which a user logged in. Attempts from there have a separate budget.';
comment on column known_addresses.address is 'SHA-256 of the address.';

create index known_addresses_by_age on known_addresses (seen_at);
