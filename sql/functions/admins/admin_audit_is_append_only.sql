-- Rejects update, delete and truncate, by whomever: the audit is append only.
create trigger admin_audit_is_append_only before update or delete or truncate on admin_audit
  for each statement execute function reject_change();
