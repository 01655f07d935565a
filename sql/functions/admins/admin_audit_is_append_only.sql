-- Rejects update and delete: the audit is append only.
create trigger admin_audit_is_append_only before update or delete on admin_audit
  for each row execute function reject_change();
