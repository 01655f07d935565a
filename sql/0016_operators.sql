create table operator_actions (
  id bigint primary key generated always as identity,
  operator text not null constraint operator_actions_who_said check (operator ~ '\S'),
  action text not null constraint operator_actions_known check (action in (
    'provision_again', 'attach', 'refund', 'reinstate', 'abandon', 'rerun', 'pause', 'end_pause', 'rerun_job', 'retry_delivery', 'retry_deliveries',
    'reverse_payout',
    'resolve_payout', 'move_link', 'release_registration', 'dismiss_event', 'detach_payout_account', 'disable_operator', 'enable_operator',
    'end_operator_sessions', 'remove_operator_authenticator'
  )),
  subject text,
  payment_id text references payments (id),
  prop_account_id text references prop_accounts (id),
  why text not null constraint operator_actions_why_said check (why ~ '\S'),
  detail jsonb not null default '{}',
  at timestamptz not null default now()
);

comment on table operator_actions is 'Actions of operators, executed or rejected. Append only: triggers reject update, delete and truncate.';
comment on column operator_actions.operator is
  'Over HTTP admin:<id>. In psql the database role that connected; the name it gave is in detail, as a note.';
comment on column operator_actions.subject is 'The object of the action if it is neither an account nor a payment.';
comment on column operator_actions.detail is 'The result. Contains no secret.';

create index operator_actions_of_account on operator_actions (prop_account_id);
create index operator_actions_of_payment on operator_actions (payment_id);
create index operator_actions_by_subject on operator_actions ((coalesce(subject, prop_account_id, payment_id)), at);
create index operator_actions_by_time on operator_actions (at);

create schema ops;
comment on schema ops is 'The operator''s kit. Views show no secret, no request and no sent payload. Every function that acts requires who and why.';

-- The role belongs to the whole cluster: another database may have created it, or be creating it now. If this user may not create roles,
-- the platform creates one, and `select ops.grant_access('its name')` grants the rights.
do $$
begin
  if not exists (select from pg_roles where rolname = 'trading_operator') then
    create role trading_operator nologin;
    comment on role trading_operator is 'May read schema ops and call its functions: grant trading_operator to somebody.';
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise notice 'no role trading_operator: this user may not create roles. Create one, then: select ops.grant_access(''its name'')';
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'trading_operator') then
    grant usage on schema ops to trading_operator;
  end if;
end $$;

-- The roles of the processes belong to the whole cluster: see trading_operator. A login of the deployment is a member of one of them; the
-- owner of the database migrates. Without the roles every process connects as the owner.
do $$
declare
  process text;
begin
  foreach process in array array['trading_web', 'trading_worker'] loop
    if not exists (select from pg_roles where rolname = process) then
      execute format('create role %I nologin', process);
    end if;
  end loop;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise notice 'no roles trading_web and trading_worker: this user may not create roles. Create them, then migrate again';
end $$;
