-- Writes the statement lines of the fees of recorded executions of a wallet with these numbers (`oids`): of orders and closings that a partner
-- placed, by their numbers or by their client order ids, which they keep when their trader changes them at the exchange. A fee is stated once. It is
-- called when executions are recorded, and when the number of an order becomes known.
create or replace function state_fees(wallet text, oids text[]) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, amount, currency)
  select statement_id(n.owner, 'fee', wallet, n.trade_id::text, 0, n.subject), n.owner, 'fee', 'trading', n.filled_at, 'exvenue', wallet,
    n.trade_id::text, n.pair, n.fee, n.fee_token
  from (
    select o.owner, o.id as subject, o.pair, f.trade_id, f.filled_at, f.fee, f.fee_token
    from exchange_fills f
    join orders o on o.exchange_number = f.oid and o.trader = f.ex_wallet
    where f.ex_wallet = wallet and f.oid = any(oids) and f.fee <> 0
    union all
    select c.owner, c.id, exchange_pair(f.coin), f.trade_id, f.filled_at, f.fee, f.fee_token
    from exchange_fills f
    cross join lateral (
      select i.id, i.owner
      from intents i
      where i.id = case when f.cloid ~ '^0x[0-9a-f]{32}$' then substr(f.cloid, 3)::uuid end
        and i.kind in ('exchange/place', 'exchange/close') and i.request ->> 'wallet' = wallet
      limit 1
    ) c
    where f.ex_wallet = wallet and f.oid = any(oids) and f.fee <> 0
  ) n
  order by n.trade_id
  on conflict (id) do nothing
$$;
