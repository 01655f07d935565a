create table admins (
  id text primary key,
  email text not null constraint admins_email_taken unique,
  password_hash text,
  role text not null default 'admin' constraint admins_role_known check (role in ('viewer', 'support', 'finance', 'admin')),
  invitation_digest bytea constraint admins_invitation_taken unique,
  invitation_expires_at timestamptz,
  totp_seed bytea,
  totp_step bigint,
  totp_enrolled_at timestamptz,
  totp_releases integer not null default 0,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint admins_enrolled_has_seed check (totp_enrolled_at is null or (totp_seed is not null and totp_step is not null))
);

comment on table admins is 'Operators of the console.';
comment on column admins.password_hash is 'Null until an invitation has been accepted.';
comment on column admins.role is 'What the operator may do: a viewer reads, support and finance each do more, an admin does everything.';
comment on column admins.invitation_digest is 'SHA-256 of the mailed token that sets a password, once.';
comment on column admins.totp_seed is 'Sealed. Until TOTP is enrolled, it waits for its first code.';
comment on column admins.totp_releases is 'How often another operator restored the attempts at the authenticator code.';
comment on column admins.totp_step is 'The newest time step whose code was accepted. Only later ones are accepted.';

create table admin_sessions (
  id text primary key,
  digest bytea not null constraint admin_sessions_digest_taken unique,
  admin_id text not null references admins (id),
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);

comment on table admin_sessions is 'Sessions of operators. Only the token''s digest is stored.';

create index admin_sessions_by_age on admin_sessions (expires_at);

create table admin_audit (
  id bigint generated always as identity primary key,
  admin_id text references admins (id),
  action text not null,
  subject text,
  why text,
  detail jsonb not null default '{}',
  address text,
  request_id text,
  at timestamptz not null default now()
);

comment on table admin_audit is 'Actions of operators over HTTP, executed or rejected. Append only: triggers reject update, delete and truncate.';
comment on column admin_audit.why is 'The reason that the request gave, if any.';

create index admin_audit_by_admin on admin_audit (admin_id, at);
create index admin_audit_by_subject on admin_audit (subject, at);
-- The newest entries of all operators.
create index admin_audit_by_time on admin_audit (at);
