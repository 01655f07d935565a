-- The operator's kit: what to look at and what to do by hand, the same from psql and behind the console. Views and functions say
-- what they are for: \d+ ops.* and \df+ ops.*
create schema ops;
comment on schema ops is 'The operator''s kit. Views show no secret and nothing of what was asked or sent; every function that does something wants who and why.';

alter table operator_actions
  add column subject text,
  add column why text constraint operator_actions_why_said check (why ~ '\S'),
  add constraint operator_actions_who_said check (operator ~ '\S') not valid,
  drop constraint operator_actions_known,
  add constraint operator_actions_known check (action in (
    'provision_again', 'attach', 'refund', 'reinstate', 'give_up', 'rerun', 'retry_delivery', 'retry_deliveries'
  )) not valid;
create index operator_actions_by_subject on operator_actions ((coalesce(subject, prop_account_id, payment_id)), at);
create index operator_actions_by_time on operator_actions (at);

comment on table operator_actions is 'What operators did by hand, or were refused; append only: triggers refuse update, delete and truncate.';
comment on column operator_actions.operator is 'An operator''s id, admin:<id>, or the name given in psql; there the login stands in detail.';
comment on column operator_actions.subject is 'What it was about where that is neither an account nor a payment.';
comment on column operator_actions.detail is 'What came of it; no secret.';

create trigger operator_actions_are_append_only before update or delete on operator_actions
  for each row execute function refuse_change();
create trigger operator_actions_are_not_emptied before truncate on operator_actions
  for each statement execute function refuse_change();

alter table prop_accounts
  add column given_up_at timestamptz,
  add column given_up_by text,
  add column given_up_why text,
  add constraint prop_accounts_given_up_whole
    check ((given_up_at is null) = (given_up_by is null) and (given_up_at is null) = (given_up_why is null)) not valid,
  add constraint prop_accounts_given_up_failed check (given_up_at is null or status = 'subaccount_failed') not valid;
comment on column prop_accounts.given_up_at is 'An operator has settled the matter otherwise: it is never made, and no list of failed accounts shows it.';

-- Refuses to act for nobody or without a reason.
create function ops.want_who_and_why(who text, why text) returns void
language plpgsql immutable as $$
begin
  if coalesce(who, '') !~ '\S' or coalesce(why, '') !~ '\S' then
    raise exception 'say who you are and why you do it' using errcode = 'invalid_parameter_value';
  end if;
end $$;
comment on function ops.want_who_and_why is 'Of the kit''s inside.';

-- Keeps what was done or refused, in the transaction that did it.
create function ops.note(who text, did text, about text, why text, came_of_it jsonb) returns void
language sql as $$
  insert into operator_actions (operator, action, subject, why, detail)
  values (who, did, about, why, came_of_it || jsonb_build_object('login', session_user))
$$;
comment on function ops.note is 'Of the kit''s inside.';

create view ops.actions as
select 'o' || o.id as id, o.at, case when o.operator like 'adn\_%' then 'admin:' || o.operator else o.operator end as who, o.action,
  coalesce(o.subject, o.prop_account_id, o.payment_id) as subject, o.why, o.detail
from operator_actions o
union all
select 'a' || a.id, a.at, coalesce('admin:' || a.admin_id, 'nobody'), a.action, a.subject, null, a.detail
from admin_audit a;
comment on view ops.actions is 'Who did what, and why: operators over HTTP (admin:<id>) and in psql, refused actions too. Order by at desc.';
