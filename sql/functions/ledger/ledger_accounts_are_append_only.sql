-- Rejects update, delete and truncate, by whomever: the ledger is append only.
create trigger ledger_accounts_are_append_only before update or delete or truncate on ledger_accounts
  for each statement execute function reject_change();
