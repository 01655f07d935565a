-- Records positions of a wallet as its account showed them, {coin: size}, where no execution explains them, or where for ten minutes no execution has
-- explained the difference: then the exchange lists none.
create or replace function found_exchange_positions(wallet text, sizes jsonb) returns void
language sql as $$
  insert into exchange_positions as p (ex_wallet, coin, size)
  select wallet, s.key, round(s.value::numeric, 6)
  from jsonb_each_text(sizes) s
  order by s.key
  on conflict on constraint exchange_positions_pkey do update
  set size = excluded.size, read_at = now()
  where p.size <> excluded.size and greatest(p.filled_at, p.read_at) < now() - interval '10 minutes'
$$;
