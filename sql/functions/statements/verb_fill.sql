-- What a verb executed, for state_fills; null if nothing. The network may not say what a close executed.
create or replace function verb_fill(subject uuid, o orders, i intents) returns jsonb
language sql stable as $$
  select jsonb_build_object('owner', i.owner, 'venue', venue_of(i.kind), 'subject', subject, 'reference', name_of_order(subject, o, i),
    'account', coalesce(i.request ->> 'prop_account_id', i.request ->> 'subaccount_id', i.request ->> 'wallet', i.request ->> 'trader'),
    'pair', coalesce(o.pair, f.result ->> 'pair', i.request ->> 'trade_pair', i.request ->> 'pair'),
    'side', coalesce(f.executed ->> 'order_type', f.result ->> 'side', 'FLAT'), 'quantity', f.quantity, 'price', f.price)
  from (
    select r.result, r.result -> 'executed' as executed,
      coalesce(r.result -> 'executed' ->> 'quantity', r.result ->> 'filled_size')::numeric as quantity,
      coalesce(r.result -> 'executed' ->> 'price', r.result ->> 'fill_price')::numeric as price
    from (select i.outcome -> 'result' as result) r
  ) f
  where (f.price is not null or i.kind = 'network/close') and f.quantity is distinct from 0
$$;
