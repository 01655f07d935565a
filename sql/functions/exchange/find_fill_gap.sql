-- The first gap in a wallet's executions from a time on: an execution of a perpetual that does not start from the position that the one before
-- it left. Executions before `complete_from` do not count as the one before. `since` and `until` are the times of the two. No row: the chain of
-- every coin is whole.
create or replace function find_fill_gap(wallet text, from_at timestamptz, complete_from timestamptz)
returns table (since timestamptz, until timestamptz)
language sql stable as $$
  select g.since, g.until
  from (
    select f.filled_at as until, round(f.start_position, 6) as starts,
      coalesce(lag(f.filled_at) over w, p.filled_at) as since,
      coalesce(lag(position_after(f)) over w, p.size) as expected
    from exchange_fills f
    left join lateral (
      select b.filled_at, position_after(b) as size
      from exchange_fills b
      where b.ex_wallet = wallet and b.coin = f.coin and b.filled_at < from_at and b.filled_at >= complete_from
      order by b.filled_at desc, b.seq desc
      limit 1
    ) p on true
    where f.ex_wallet = wallet and f.filled_at >= greatest(from_at, complete_from) and is_perpetual(f.coin)
    window w as (partition by f.coin order by f.filled_at, f.seq)
  ) g
  where g.expected <> g.starts
  order by g.until
  limit 1
$$;
