-- Rejects truncate: the audit is append only.
create trigger admin_audit_is_not_emptied before truncate on admin_audit
  for each statement execute function reject_change();
