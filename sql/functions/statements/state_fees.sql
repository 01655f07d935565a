-- Writes the statement lines of the fees of recorded executions of a wallet with these numbers (`oids`): of orders and closings that a partner
-- placed, by their numbers or by their client order ids, which they keep when their trader changes them at the exchange, and of their exits. A fee is
-- stated once. It is called when executions are recorded, and when the number of an order becomes known.
create or replace function state_fees(wallet text, oids text[]) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, amount, currency)
  select statement_id(n.owner, 'fee', wallet, f.trade_id::text, 0, n.subject), n.owner, 'fee', 'trading', f.filled_at, 'exvenue', wallet,
    f.trade_id::text, n.pair, f.fee, f.fee_token
  from unnest(oids) as u (oid)
  cross join lateral (
    select *
    from exchange_fills x
    where x.ex_wallet = wallet and x.oid = u.oid
    order by x.trade_id -- as the key does: else where most wallets have few executions, all of this one are read
    offset 0
  ) f
  cross join lateral (
    select o.owner, o.id as subject, o.pair
    from orders o
    where o.exchange_number = f.oid and o.trader = wallet
    union all
    select i.owner, i.id, exchange_pair(f.coin)
    from intents i
    where i.id = case when f.cloid ~ '^0x[0-9a-f]{32}$' then substr(f.cloid, 3)::uuid end
      and i.kind in ('exchange/place', 'exchange/close') and i.request ->> 'wallet' = wallet
    union all
    select p.owner, f.exit_of, exchange_pair(f.coin)
    from placer_of(f.exit_of) p (owner)
    where p.owner is not null
  ) n
  where f.fee <> 0
  order by f.trade_id
  on conflict (id) do nothing
$$;
