-- Rejects update, delete and truncate, by whomever: the ledger is append only.
create trigger ledger_entries_are_append_only before update or delete or truncate on ledger_entries
  for each statement execute function reject_change();
