-- Accepts order verbs of prop accounts. Each is judged while its account is locked: a status change waits for the acceptance, or the
-- acceptance sees it. What was accepted before is replayed, whatever the account's present status.
-- Verdicts in addition to those of accept_network_orders: account_unknown | subaccount_missing | not_tradeable.
-- Item: as for accept_network_orders, and prop_account_id, user_id?
create or replace function accept_trading_orders(batch jsonb) returns table (n integer, intent_id uuid, verdict text)
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
