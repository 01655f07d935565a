-- Rejects update and delete: signatures are append only.
create trigger agreement_signatures_are_append_only before update or delete on agreement_signatures
  for each row execute function reject_change();
