-- Writes one transaction with an entry for each leg whose amount is not zero, and its line of the statement; nothing if all are, or if the source
-- was posted before and moves money once. The caller holds the payment or payout. `holder`: the payout account of legs at one.
create or replace function post_entries(
  of_subject text, of_owner text, of_kind text, of_source text, said timestamptz, holder text, legs jsonb
) returns void
language plpgsql as $$
declare
  posted bigint;
begin
  if not exists (select from jsonb_to_recordset(legs) as l (amount bigint) where l.amount <> 0) then
    return;
  end if;
  insert into ledger_transactions (kind, subject, owner, source, said_at)
  values (of_kind, of_subject, of_owner, of_source, said)
  on conflict do nothing
  returning id into posted;
  insert into ledger_entries (transaction_id, debit_id, credit_id, currency, amount)
  select posted, ledger_account(case when l.amount > 0 then l."to" else l."from" end, holder, l.currency),
    ledger_account(case when l.amount > 0 then l."from" else l."to" end, holder, l.currency), l.currency, abs(l.amount)
  from jsonb_to_recordset(legs) as l ("from" text, "to" text, currency text, amount bigint)
  where l.amount <> 0 and posted is not null;
  perform state_money(posted);
end $$;
