-- Rejects truncate: signatures are append only.
create trigger agreement_signatures_are_not_emptied before truncate on agreement_signatures
  for each statement execute function reject_change();
