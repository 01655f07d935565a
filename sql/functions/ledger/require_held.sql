-- Body of trigger ledger_entries_keep_held.
create or replace function require_held() returns trigger
language plpgsql as $$
begin
  if exists (select from ledger_accounts a where a.id = new.credit_id and a.kind = 'held')
    and ledger_sum((select t.subject from ledger_transactions t where t.id = new.transaction_id), '{held}', new.currency) < 0 then
    raise exception 'less than nothing would be held' using errcode = 'check_violation', constraint = 'ledger_entries_keep_held';
  end if;
  return null;
end $$;
