-- Writes the statement lines of what was executed: by verbs that have ended (`ended_ids`), and by network orders that are no longer open because they
-- were filled (`closed_ids`); both are lists of ids with commas. The network signs quantities, and may not say
-- what a close executed. A fill is stated once, whoever reports it. The executions of resting orders at
-- the exchange are stated by state_exchange_fills. string_to_table is estimated alike for any text, so the plan is kept.
create or replace function state_fills(ended_ids text, closed_ids text) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, side, quantity, price, progress)
  select statement_id(f.owner, 'fill', f.account, f.reference, p.progress, f.subject), f.owner, 'fill', 'executed', clock_timestamp(), f.venue,
    f.account, f.reference, f.pair,
    case when f.side <> 'FLAT' or coalesce(f.quantity, 0) = 0 then f.side when f.quantity > 0 then 'LONG' else 'SHORT' end, abs(f.quantity),
    f.price, p.progress
  from (
    select i.owner, venue_of(i.kind) as venue,
      coalesce(i.request ->> 'prop_account_id', i.request ->> 'subaccount_id', i.request ->> 'wallet', i.request ->> 'trader') as account,
      verb_subject(i) as subject, coalesce(o.given_id, case when verb_subject(i) = i.id then i.given_id end, verb_subject(i))::text as reference,
      coalesce(o.pair, i.outcome -> 'result' ->> 'pair', i.request ->> 'trade_pair', i.request ->> 'pair') as pair,
      coalesce(i.outcome -> 'result' -> 'executed' ->> 'order_type', i.outcome -> 'result' ->> 'side', 'FLAT') as side,
      coalesce(i.outcome -> 'result' -> 'executed' ->> 'quantity', i.outcome -> 'result' ->> 'filled_size')::numeric as quantity,
      coalesce(i.outcome -> 'result' -> 'executed' ->> 'price', i.outcome -> 'result' ->> 'fill_price')::numeric as price,
      i.kind = 'network/close' as is_close
    from string_to_table(ended_ids, ',') as e (id)
    cross join lateral (
      select *
      from intents w
      where w.id = e.id::uuid
      limit 1
    ) i
    left join lateral (
      select x.pair, x.given_id
      from orders x
      where x.id = verb_subject(i)
      limit 1
    ) o on true
    where i.state = 'succeeded' and venue_of(i.kind) is not null
    union all
    select o.owner, o.venue, coalesce(a.id, s.subaccount_id::text), o.id, coalesce(o.given_id, o.id)::text, o.pair, o.executed ->> 'order_type',
      (o.executed ->> 'quantity')::numeric, (o.executed ->> 'price')::numeric, false
    from string_to_table(closed_ids, ',') as c (id)
    cross join lateral (
      select *
      from orders x
      where x.id = c.id::uuid
      limit 1
    ) o
    left join lateral (
      select b.subaccount_id
      from subaccounts b
      where b.synthetic_hotkey = o.trader
      limit 1
    ) s on true
    left join lateral (
      select p.id
      from prop_accounts p
      where p.synthetic_hotkey = o.trader and p.owner = o.owner
      limit 1
    ) a on true
    where o.venue = 'netvenue' and o.lifecycle = 'filled'
  ) f
  cross join lateral (select case f.venue when 'exvenue' then coalesce(f.quantity, 0) else 0 end as progress) p
  where (f.price is not null or f.is_close) and f.quantity is distinct from 0
  order by f.reference
  on conflict (id) do nothing
$$;
