-- Accepts exchange order intents whose wallet this owner has enrolled. Verdict in addition to those of accept_intents: not_enrolled.
-- Item: as for accept_intents, and trader (the wallet, in lower case), pair, terms?
create or replace function accept_exchange_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  rejected jsonb;
begin
  select jsonb_object_agg(i.n, 'not_enrolled') into rejected
  from jsonb_to_recordset(batch) as i (n integer, owner text, trader text)
  left join lateral (
    select e.owner
    from enrollments e
    where e.owner = i.owner and e.ex_wallet = i.trader
    limit 1
  ) e on true
  where e.owner is null;
  return query select a.n, a.intent_id, a.verdict from accept_orders(batch, rejected) a;
end $$;
