-- Accepts exchange order intents: those whose wallet this owner has enrolled. Verdict beside accept_intents': not_enrolled.
-- Item: as accept_intents', and trader (the wallet, in lower case), pair, terms?
create function accept_exchange_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language sql as $$
  select a.n, a.intent_id, a.verdict
  from accept_judged_orders((
    select jsonb_agg(b.item || jsonb_build_object('verdict', case when e.owner is null then 'not_enrolled' end))
    from jsonb_array_elements(batch) as b (item)
    left join lateral (
      select e.owner
      from enrollments e
      where e.owner = b.item ->> 'owner' and e.ex_wallet = b.item ->> 'trader'
      limit 1
    ) e on true
  ), 'exvenue') a
$$;

-- Orders on builder dexes (`dex:COIN`), whose open orders the exchange shows dex by dex.
create index orders_on_builder_dexes on orders (trader) where venue = 'exvenue' and position(':' in pair) > 0;

-- Orders whose take-profit or stop-loss waits for their parent to fill.
create index orders_with_waiting_triggers on orders (created_at) where executed ->> 'trigger_status' = 'pending_parent_fill';
