-- What the network executed of an order that is no longer open because it was filled, for state_fills; null if its price is unknown. `account`: the
-- prop account that it was for, null if it was for none.
create or replace function order_fill(o orders, account text) returns jsonb
language sql stable as $$
  select jsonb_build_object('owner', o.owner, 'venue', o.venue, 'subject', o.id, 'reference', name_of_order(o.id, o, null), 'account',
    coalesce(account, (
      select s.subaccount_id::text
      from subaccounts s
      where s.synthetic_hotkey = o.trader
    )), 'pair', o.pair, 'side', o.executed ->> 'order_type', 'quantity', o.executed ->> 'quantity', 'price', o.executed ->> 'price')
  where o.executed ->> 'price' is not null and (o.executed ->> 'quantity')::numeric is distinct from 0
$$;
