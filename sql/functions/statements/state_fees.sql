-- Writes the statement lines of the fees of recorded executions of a wallet: of those of its orders with these numbers (`oids`) that a partner
-- placed. A fee is stated once. It is called when executions are recorded, and when the number of an order becomes known.
create or replace function state_fees(wallet text, oids text[]) returns void
language sql as $$
  insert into statement_lines (id, owner, kind, what, at, venue, account, reference, pair, amount, currency)
  select statement_id(o.owner, 'fee', wallet, f.trade_id::text, 0, o.id), o.owner, 'fee', 'trading', f.filled_at, 'exvenue', wallet,
    f.trade_id::text, o.pair, f.fee, f.fee_token
  from exchange_fills f
  join orders o on o.exchange_number = f.oid and o.trader = f.ex_wallet
  where f.ex_wallet = wallet and f.oid = any(oids) and f.fee <> 0
  order by f.trade_id
  on conflict (id) do nothing
$$;
