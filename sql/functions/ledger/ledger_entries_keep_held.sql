-- Rejects entries after which less than nothing would be held of a payout at its account: what is missing there is overdrawn.
create constraint trigger ledger_entries_keep_held after insert on ledger_entries
  deferrable initially deferred
  for each row execute function require_held();
