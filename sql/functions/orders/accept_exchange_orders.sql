-- Accepts exchange order intents whose wallet this owner has enrolled. Verdicts in addition to those of accept_intents: not_enrolled, and
-- key_rejected while the exchange rejects the wallet's key. What was accepted before is replayed, whatever became of the enrollment since.
-- Item: as for accept_intents, and trader (the wallet, in lower case), pair, terms?
create or replace function accept_exchange_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  rejected jsonb;
begin
  select jsonb_object_agg(i.n, case when e.owner is null then 'not_enrolled' else 'key_rejected' end) into rejected
  from jsonb_array_elements(batch) as b (item)
  cross join lateral jsonb_to_record(b.item) as i (n integer, owner text, trader text)
  left join lateral (
    select e.owner, exists (
      select
      from signing_keys k
      where k.owner = e.owner and k.ex_wallet = e.ex_wallet and k.retired_at is null and not k.waits and k.rejected_at is not null
    ) is_rejected
    from enrollments e
    where e.owner = i.owner and e.ex_wallet = i.trader
    limit 1
  ) e on true
  where case when e.owner is null or e.is_rejected then not was_accepted(b.item) else false end;
  return query select a.n, a.intent_id, a.verdict from accept_orders(batch, rejected) a;
end $$;
