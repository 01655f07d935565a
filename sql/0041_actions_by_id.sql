-- Outside a transaction
-- An entry of the log of operators by its id in ops.actions, at which a page of the log begins.
drop index concurrently if exists operator_actions_by_id;

create index concurrently operator_actions_by_id on operator_actions (('o' || id::text));

drop index concurrently if exists admin_audit_by_id;

create index concurrently admin_audit_by_id on admin_audit (('a' || id::text));
