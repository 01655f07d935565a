create or replace view ops.actions as
select 'o' || o.id::text as id, o.at, o.operator as who, o.action,
  coalesce(o.subject, o.prop_account_id, o.payment_id) as subject, o.why, o.detail
from operator_actions o
union all
select 'a' || a.id::text, a.at, coalesce('admin:' || a.admin_id, 'nobody'), a.action, a.subject, a.why, a.detail
from admin_audit a;
comment on view ops.actions is
  'Who did what, and why: operators over HTTP (admin:<id>) and in psql (the role that connected), including rejected actions. Order by at desc.';
