-- What keeps an order verb from a prop account; null where it may trade. A subaccount that is still being made is none yet.
create function trading_verdict(a prop_accounts, trader text) returns text
language sql immutable as $$
  select case
    when a.id is null then 'account_unknown'
    when a.synthetic_hotkey is null or a.synthetic_hotkey <> trader or a.status in ('provisioning', 'subaccount_failed')
      then 'subaccount_missing'
    when a.status not in ('evaluation', 'funded') then 'not_tradeable'
  end
$$;

-- Accepts order verbs of prop accounts, each judged while its account is held: an account that moves waits for the acceptance, or
-- the acceptance sees it moved. What was accepted before is told again whatever became of the account since.
-- Verdicts beside accept_network_orders': account_unknown | subaccount_missing | not_tradeable.
-- Item: as accept_network_orders', and prop_account_id, user_id?
create function accept_trading_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
language plpgsql as $$
begin
  perform
  from prop_accounts a
  where a.id in (select b.item ->> 'prop_account_id' from jsonb_array_elements(batch) as b (item))
  order by a.id
  for share;

  return query
  with judged as materialized (
    select b.item, case when not was_accepted(b.item) then trading_verdict(a.p, b.item ->> 'trader') end as said
    from jsonb_array_elements(batch) as b (item)
    left join lateral (
      select p
      from prop_accounts p
      where p.id = b.item ->> 'prop_account_id'
        and p.owner = b.item ->> 'owner'
        and (b.item ->> 'user_id' is null or p.user_id = b.item ->> 'user_id')
      limit 1
    ) a on true
  )
  select (j.item ->> 'n')::integer, (j.item ->> 'id')::uuid, j.said
  from judged j
  where j.said is not null
  union all
  select o.n, o.intent_id, o.verdict
  from accept_network_orders((
    select coalesce(jsonb_agg(j.item), '[]')
    from judged j
    where j.said is null
  )) o;
end $$;

-- Whether an offer was accepted before, under its id or its key.
create function was_accepted(item jsonb) returns boolean
language sql stable as $$
  select exists (select from intents i where i.id = (item ->> 'id')::uuid)
    or exists (select from idempotency_keys k where k.owner = item ->> 'owner' and k.key = item ->> 'idempotency_key')
$$;

create index orders_resting on orders (trader) where lifecycle = 'resting';
