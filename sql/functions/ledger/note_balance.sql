-- Compares what the processor shows of a payout account with what the ledger holds there, and stores both, unless money is moving there: a step is
-- under way or unknown, or its arrival is not read yet. True: they differ now, in some currency. Shown: currency, amount. Locks the account. Entries
-- are found by the payouts of its user, because no index leads from an account to its entries.
create or replace function note_balance(account text, shown jsonb) returns boolean
language plpgsql as $$
declare
  c connect_accounts;
begin
  select * into strict c from connect_accounts a where a.processor_account_id = account for no key update;
  if exists (
    select
    from payouts p
    where p.user_id = c.user_id and p.connect_account_id = c.id and p.is_unread
  ) or exists (
    select
    from payouts p
    join payout_steps s on s.payout_id = p.id
    where p.user_id = c.user_id and p.connect_account_id = c.id and s.state in ('under_way', 'unknown')
  ) then
    return false;
  end if;
  insert into balance_readings as r (account_id, currency, shown, posted, differs_since, read_at)
  select c.id, coalesce(l.currency, s.currency), coalesce(s.amount, 0), coalesce(l.amount, 0),
    case when coalesce(s.amount, 0) <> coalesce(l.amount, 0) then now() end, now()
  from (
    select o.currency, sum(o.amount) as amount
    from jsonb_to_recordset(shown) as o (currency text, amount bigint)
    group by o.currency
  ) s
  full join (
    select a.currency, coalesce(sum(e.amount * case a.id when e.debit_id then 1 else -1 end), 0) as amount
    from payouts p
    join ledger_transactions t on t.subject = p.id
    join ledger_entries e on e.transaction_id = t.id
    join ledger_accounts a on a.id in (e.debit_id, e.credit_id)
    where p.user_id = c.user_id and a.holder = account and a.kind in ('held', 'overdrawn')
    group by a.currency
  ) l on l.currency = s.currency
  on conflict (account_id, currency) do update
  set shown = excluded.shown, posted = excluded.posted, read_at = excluded.read_at,
    differs_since = case when excluded.differs_since is not null then coalesce(r.differs_since, excluded.differs_since) end;
  return exists (select from balance_readings r where r.account_id = c.id and r.differs_since is not null);
end $$;
