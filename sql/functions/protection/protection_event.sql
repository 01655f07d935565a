-- The data of an event about the exits of a position for one owner, without the exits that others want. A network trader is named by the number of
-- its subaccount, as in Trader-ID; an app's also by its account and user.
create or replace function protection_event(w wanted_exits, for_owner text) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'venue', w.venue,
    'trader_id', coalesce((
      select s.subaccount_id::text
      from subaccounts s
      where s.synthetic_hotkey = w.trader
    ), w.trader),
    'prop_account_id', a.id,
    'user_id', a.user_id,
    'pair', w.pair,
    'side', w.seen -> 'side',
    'size', w.seen -> 'size',
    'wanted', (
      select coalesce(jsonb_agg(
        e.entry - '{version,waits,owner}'::text[] || case when o.id is null then '{}' else jsonb_build_object('order_uuid', o.given_id) end
        order by e.n
      ), '[]')
      from jsonb_array_elements(w.wanted) with ordinality as e (entry, n)
      left join orders o on o.id = (e.entry ->> 'order_uuid')::uuid and o.given_id is not null and o.owner = for_owner
      where (e.entry ->> 'waits')::boolean is not true and told_of_exits(w, e.entry) = for_owner
    ),
    'live', coalesce(w.seen -> 'live', '[]'),
    'since', to_char(w.missing_since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'),
    'reason', w.seen -> 'reason',
    'message', w.seen -> 'message',
    'repair', w.seen -> 'repair'
  )
  from (select 1) as always
  left join lateral (
    select p.id, p.user_id
    from prop_accounts p
    where p.synthetic_hotkey = w.trader and p.owner = for_owner
    limit 1
  ) a on true
$$;
