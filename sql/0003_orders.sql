-- Subaccounts of the network, each owned by the partner or app it was made for.
create table subaccounts (
  synthetic_hotkey text primary key,
  entity_hotkey text not null,
  subaccount_id integer not null,
  subaccount_uuid text,
  owner text not null,
  intent_id uuid not null constraint subaccounts_one_per_intent unique,
  asset_class text not null,
  account_size numeric not null constraint subaccounts_size_positive check (account_size > 0),
  ex_address text,
  payout_address text,
  status text not null,
  created_at timestamptz not null default now(),
  constraint subaccounts_id_once_per_entity unique (entity_hotkey, subaccount_id)
);
create index subaccounts_by_owner on subaccounts (owner);

comment on column subaccounts.status is 'The network''s own word: pending until its collateral is burnt, then active or failed.';

-- Orders as nouns. Whether one was accepted is its intent's state; these rows say what it is now.
create table orders (
  id uuid primary key,
  venue text not null constraint orders_venue_known check (venue in ('netvenue', 'exvenue')),
  owner text not null,
  trader text not null,
  pair text not null,
  handle text not null,
  terms jsonb not null,
  lifecycle text constraint orders_lifecycle_known check (lifecycle in ('resting', 'filled', 'cancelled')),
  executed jsonb,
  created_at timestamptz not null default now(),
  constraint orders_handle_once unique (trader, handle)
);
create index orders_by_trader on orders (trader, created_at);

comment on column orders.id is 'The intent that placed it, the network''s order uuid and the exchange''s cloid in one.';
comment on column orders.handle is 'What the venue calls it: the id, unless the venue made it beside another order.';
comment on column orders.terms is 'The order as it stands: what was placed, with every edit the venue has accepted.';

-- Accepts order intents that have been judged: those with a verdict already are only told so, the others are accepted, and
-- those with terms get their order row. Item: as accept_intents', and trader, pair, terms?, verdict?
create function accept_judged_orders(judged jsonb, at_venue text) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
begin
  return query
  select (j.item ->> 'n')::integer, (j.item ->> 'id')::uuid, j.item ->> 'verdict'
  from jsonb_array_elements(judged) as j (item)
  where j.item ->> 'verdict' is not null;

  return query
  with verdicts as materialized (
    select a.n, a.intent_id, a.verdict
    from accept_intents((
      select coalesce(jsonb_agg(j.item), '[]')
      from jsonb_array_elements(judged) as j (item)
      where j.item ->> 'verdict' is null
    )) a
  ), written as (
    insert into orders (id, venue, owner, trader, pair, handle, terms)
    select i.id, at_venue, i.owner, i.trader, i.pair, i.id::text, i.terms
    from jsonb_to_recordset(judged) as i (n integer, id uuid, owner text, trader text, pair text, terms jsonb)
    join verdicts v on v.n = i.n and v.verdict = 'accepted'
    where i.terms is not null
  )
  select v.n, v.intent_id, v.verdict from verdicts v;
end $$;

-- Accepts network order intents: those whose trader is the caller's own and whose target, if any, is an order of that trader.
-- Verdicts beside accept_intents': trader_unknown | order_unknown | pair_mismatch.
-- Item: as accept_intents', and trader (synthetic hotkey), pair, target?, terms?
-- The limits keep every look-up on its index: joined without, tables still small when the plan was made are read whole.
create function accept_network_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language sql as $$
  select a.n, a.intent_id, a.verdict
  from accept_judged_orders((
    select jsonb_agg(b.item || jsonb_build_object('verdict', case
        when s.owner is null then 'trader_unknown'
        when b.item ->> 'target' is not null and o.id is null then 'order_unknown'
        when o.pair <> b.item ->> 'pair' then 'pair_mismatch'
      end))
    from jsonb_array_elements(batch) as b (item)
    left join lateral (
      select s.synthetic_hotkey, s.owner
      from subaccounts s
      where s.synthetic_hotkey = b.item ->> 'trader' and s.owner = b.item ->> 'owner'
      limit 1
    ) s on true
    left join lateral (
      select o.id, o.pair
      from orders o
      where o.id = (b.item ->> 'target')::uuid and o.trader = s.synthetic_hotkey and o.owner = s.owner
      limit 1
    ) o on true
  ), 'netvenue') a
$$;
