-- Rejects update, delete and truncate, by whomever: signatures are append only.
create trigger agreement_signatures_are_append_only before update or delete or truncate on agreement_signatures
  for each statement execute function reject_change();
