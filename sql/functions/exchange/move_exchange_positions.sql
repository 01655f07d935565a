-- Records the positions that the newest executions of a wallet in some coins leave.
create or replace function move_exchange_positions(wallet text, coins text[]) returns void
language sql as $$
  insert into exchange_positions (ex_wallet, coin, size, filled_at)
  select wallet, c.coin, n.size, n.filled_at
  from unnest(coins) as c (coin)
  cross join lateral (
    select position_after(f) as size, f.filled_at
    from exchange_fills f
    where f.ex_wallet = wallet and f.coin = c.coin
    order by f.filled_at desc, f.seq desc
    limit 1
  ) n
  where is_perpetual(c.coin)
  order by c.coin
  on conflict on constraint exchange_positions_pkey do update
  set size = excluded.size, filled_at = excluded.filled_at, read_at = now()
$$;
