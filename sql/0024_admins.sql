-- Operators, their sessions, and what they did.
create table admins (
  id text primary key,
  email text not null constraint admins_email_taken unique,
  password_hash text not null,
  is_superadmin boolean not null default false,
  totp_seed bytea,
  totp_step bigint,
  totp_enrolled_at timestamptz,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint admins_enrolled_has_seed check (totp_enrolled_at is null or (totp_seed is not null and totp_step is not null))
);

comment on column admins.totp_seed is 'Sealed. Not yet enrolled: waits for its first code.';
comment on column admins.totp_step is 'The newest time step whose code was accepted; only later ones are.';

create table admin_sessions (
  id text primary key,
  digest bytea not null constraint admin_sessions_digest_taken unique,
  admin_id text not null references admins (id),
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index admin_sessions_by_age on admin_sessions (expires_at);

create table admin_audit (
  id bigint generated always as identity primary key,
  admin_id text references admins (id),
  action text not null,
  subject text,
  detail jsonb not null default '{}',
  address text,
  request_id text,
  at timestamptz not null default now()
);
create index admin_audit_by_admin on admin_audit (admin_id, at);
create index admin_audit_by_subject on admin_audit (subject, at);

comment on table admin_audit is 'Append only: triggers refuse update, delete and truncate.';

create function refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger admin_audit_is_append_only before update or delete on admin_audit
  for each row execute function refuse_change();
create trigger admin_audit_is_not_emptied before truncate on admin_audit
  for each statement execute function refuse_change();

-- Opens a session for an admin whose password was found right. With a time step, only where it is later than the last one
-- accepted: of many uses of one code exactly one passes. No row: the code was used, or the password changed meanwhile.
create function open_admin_session(
  admin text, checked_hash text, new_hash text, step bigint, session text, session_digest bytea, lives_s integer
) returns table (expires_at timestamptz)
language plpgsql as $$
begin
  update admins a
  set totp_step = coalesce(step, a.totp_step), password_hash = coalesce(new_hash, a.password_hash)
  where a.id = admin and a.password_hash = checked_hash and a.disabled_at is null
    and case when a.totp_enrolled_at is null then step is null else step > a.totp_step end;
  if not found then
    return;
  end if;
  return query
  insert into admin_sessions as s (id, digest, admin_id, expires_at)
  values (session, session_digest, admin, now() + make_interval(secs => lives_s))
  returning s.expires_at;
end $$;
