create table admins (
  id text primary key,
  email text not null constraint admins_email_taken unique,
  password_hash text not null,
  is_superadmin boolean not null default false,
  totp_seed bytea,
  totp_step bigint,
  totp_enrolled_at timestamptz,
  totp_releases integer not null default 0,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint admins_enrolled_has_seed check (totp_enrolled_at is null or (totp_seed is not null and totp_step is not null))
);

comment on table admins is 'Operators of the console.';
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

create table operator_actions (
  id bigint primary key generated always as identity,
  operator text not null constraint operator_actions_who_said check (operator ~ '\S'),
  action text not null constraint operator_actions_known check (action in (
    'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'rerun_job', 'retry_delivery', 'retry_deliveries', 'reverse_payout',
    'resolve_payout', 'move_link', 'release_registration'
  )),
  subject text,
  payment_id text references payments (id),
  prop_account_id text references prop_accounts (id),
  why text not null constraint operator_actions_why_said check (why ~ '\S'),
  detail jsonb not null default '{}',
  at timestamptz not null default now()
);

comment on table operator_actions is 'Actions of operators, executed or rejected. Append only: triggers reject update, delete and truncate.';
comment on column operator_actions.operator is 'Over HTTP admin:<id>. In psql the database role that connected; the name it gave is in detail, as a note.';
comment on column operator_actions.subject is 'The object of the action if it is neither an account nor a payment.';
comment on column operator_actions.detail is 'The result. Contains no secret.';

create index operator_actions_of_account on operator_actions (prop_account_id);
create index operator_actions_of_payment on operator_actions (payment_id);
create index operator_actions_by_subject on operator_actions ((coalesce(subject, prop_account_id, payment_id)), at);
create index operator_actions_by_time on operator_actions (at);

create table figures (
  width_s integer not null constraint figures_width_known check (width_s in (60, 300)),
  at timestamptz not null,
  figure text not null,
  label text not null,
  value double precision not null,
  primary key (width_s, at, figure, label)
);

comment on table figures is 'What the service did, minute by minute and in steps of five minutes, for the charts of the console.';
comment on column figures.at is 'The start of the step.';
comment on column figures.label is 'What the figure is about: a venue, another upstream, a state or the code of an error.';

create schema ops;
comment on schema ops is 'The operator''s kit. Views show no secret, no request and no sent payload. Every function that acts requires who and why.';

-- The role belongs to the whole cluster: another database may have created it, or be creating it now. If this user may not create roles,
-- the platform creates one, and `select ops.admit('its name')` grants the rights.
do $$
begin
  if not exists (select from pg_roles where rolname = 'trading_operator') then
    create role trading_operator nologin;
    comment on role trading_operator is 'May read schema ops and call its functions: grant trading_operator to somebody.';
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise notice 'no role trading_operator: this user may not create roles. Create one, then: select ops.admit(''its name'')';
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'trading_operator') then
    grant usage on schema ops to trading_operator;
  end if;
end $$;
