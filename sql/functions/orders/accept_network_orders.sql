-- Accepts network order intents whose trader belongs to the caller and whose target, if any, is an order of that trader. Verdicts in addition to
-- those of accept_intents: trader_unknown | order_unknown | pair_mismatch | overloaded (it is new, and only repeats are accepted) | paced N (it is
-- new, and its trader may send no more for N seconds). What was accepted before is replayed, also if the trader has moved to another owner since. A
-- target is named by its owner's name of it or by its id; the stored request has the id. Item: as for accept_intents, and trader (synthetic hotkey),
-- pair, target?, terms?, only_repeats?, pace? and pace_most? (see pace_wait_s) The limits keep every join on its index, and a target is looked for by
-- its ids alone. Without them a plan that was made while the tables were small reads them whole, or all orders of the trader.
create or replace function accept_network_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
declare
  rejected jsonb;
  targets jsonb;
begin
  select jsonb_object_agg(j.n, j.verdict) filter (where j.verdict is not null),
    jsonb_object_agg(j.n, j.target_id) filter (where j.target_id <> j.target)
  into rejected, targets
  from (
    select i.n, i.target, o.id as target_id,
      case
        when s.owner is null then case when not was_accepted(to_jsonb(i)) then 'trader_unknown' end
        when i.target is not null and o.id is null then 'order_unknown'
        when o.pair <> i.pair then 'pair_mismatch'
        when i.only_repeats is true and not was_accepted(to_jsonb(i)) then 'overloaded'
        when coalesce(p.wait_s, 0) > 0 and not was_accepted(to_jsonb(i)) then 'paced ' || ceil(p.wait_s)
      end as verdict
    from jsonb_to_recordset(batch) as i (
      n integer, id uuid, given_id uuid, owner text, trader text, pair text, target uuid, idempotency_key text, only_repeats boolean,
      pace text, pace_most integer
    )
    left join lateral (
      select s.synthetic_hotkey, s.owner
      from subaccounts s
      where s.synthetic_hotkey = i.trader and s.owner = i.owner
      limit 1
    ) s on true
    left join lateral (
      select o.id, o.pair
      from (
        select x.id, x.pair, x.trader, x.owner
        from orders x
        where x.id in (order_id_of(i.owner, i.target), i.target)
        limit 2
      ) o
      where i.target is not null and o.trader = s.synthetic_hotkey and o.owner = s.owner
      limit 1
    ) o on true
    left join lateral (
      select case when i.pace is not null then pace_wait_s(i.pace, i.pace_most, unsent_entries(i.trader) + count(*)) end as wait_s
      from jsonb_to_recordset(batch) as before (n integer, pace text)
      where before.pace = i.pace and before.n < i.n
    ) p on true
  ) j;
  if targets is not null then
    batch := (
      select jsonb_agg(case
        when targets ? (b.item ->> 'n') then jsonb_set(b.item, '{request,target}', targets -> (b.item ->> 'n'))
        else b.item
      end)
      from jsonb_array_elements(batch) as b (item)
    );
  end if;
  return query select a.n, a.intent_id, a.verdict from accept_orders(batch, rejected) a;
end $$;
