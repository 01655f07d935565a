-- Takes at most `most` exchange wallets that are due, and plans when each is due again. Urgent ones come first, with at most three quarters of the
-- places: those where the filled part of an order is without its exits, because the order is partly filled or has ended and they are not found yet.
-- Then the others. Owners take turns in both; of an owner those come first that have waited longest. A wallet with several owners comes in the first
-- of their turns. A wallet is due again after `busy_s` while it has orders that rest, exits that wait or an open position, sooner while it is urgent
-- or executions of a filled order are missing, else after `idle_s`; never, if it is neither enrolled nor has orders of ours. `is_full`: its
-- executions are to be read whatever else shows, because some are missing (the chain has a gap, or an order of ours reports more) or they were not
-- read for `idle_s`. `is_new`: they were never read. `funding_from`: from when on its funding is to be read: 90 s after each hour for which it may
-- have been paid, when reads show it; else null. Skips wallets that another process has taken.
create or replace function take_due_wallets(most integer, busy_s double precision, idle_s double precision)
returns table (ex_wallet text, read_to timestamptz, is_full boolean, is_new boolean, funding_from timestamptz)
language sql as $$
  with line as materialized (
    select n.ex_wallet, n.due_at, n.is_urgent, min(n.nth) as nth
    from (
      select d.ex_wallet, d.due_at, d.is_urgent, row_number() over (partition by w.owner, d.is_urgent order by d.due_at) as nth
      from (
        select c.ex_wallet, c.due_at, exists (
            select
            from orders o
            where o.trader = c.ex_wallet and o.has_waiting_triggers and (not o.is_resting or o.executed ->> 'status' = 'partial')
          ) as is_urgent
        from exchange_cursors c
        where c.due_at <= now()
      ) d
      left join enrollments e on e.ex_wallet = d.ex_wallet
      cross join lateral (
        select coalesce(e.owner, (select o.owner from orders o where o.trader = d.ex_wallet order by o.created_at desc limit 1)) as owner
      ) w
    ) n
    group by n.ex_wallet, n.due_at, n.is_urgent
  ), urgent as materialized (
    select l.ex_wallet
    from line l
    where l.is_urgent
    order by l.nth, l.due_at
    limit most * 3 / 4
  ), due as materialized (
    select c.ex_wallet
    from line l
    join exchange_cursors c on c.ex_wallet = l.ex_wallet
    where c.due_at <= now()
    order by l.ex_wallet in (select u.ex_wallet from urgent u) desc, l.nth, l.due_at
    limit most
    for update of c skip locked
  ), judged as materialized (
    select d.ex_wallet, exists (
        select from orders o where o.trader = d.ex_wallet and o.is_resting
      ) or exists (
        select from orders o where o.trader = d.ex_wallet and o.has_waiting_triggers
      ) as has_orders, exists (
        select
        from orders o
        where o.trader = d.ex_wallet and o.has_waiting_triggers and (not o.is_resting or o.executed ->> 'status' = 'partial')
      ) as is_urgent,
      exists (
        select
        from orders o
        where o.trader = d.ex_wallet and o.created_at > now() - interval '5 minutes' and o.venue = 'exvenue' and o.lifecycle = 'filled'
          and (o.executed ->> 'filled_size')::numeric > (
            select coalesce(sum(f.size), 0)
            from exchange_fills f
            where f.ex_wallet = o.trader and f.oid = o.executed ->> 'ex_order_id'
          )
      ) as lacks_fills,
      exists (select from enrollments e where e.ex_wallet = d.ex_wallet) as is_enrolled,
      exists (select from exchange_positions p where p.ex_wallet = d.ex_wallet and p.size <> 0) as has_position
    from due d
  )
  update exchange_cursors c
  set read_at = now(), due_at = case
      when j.is_urgent or j.lacks_fills then now() + make_interval(secs => busy_s * 0.4)
      when j.has_orders or j.is_enrolled and j.has_position then now() + make_interval(secs => busy_s)
      when j.is_enrolled then now() + make_interval(secs => idle_s)
      else 'infinity'
    end
  from judged j
  where c.ex_wallet = j.ex_wallet
  returning c.ex_wallet, c.read_to, c.gap_at is not null or j.lacks_fills or coalesce(c.fills_read_at <= now() - make_interval(secs => idle_s), true),
    c.fills_read_at is null,
    case when j.is_enrolled and c.funding_read_to < date_trunc('hour', now() - interval '90 seconds') and exists (
        select
        from exchange_positions p
        where p.ex_wallet = c.ex_wallet and (p.size <> 0 or p.filled_at > c.funding_read_to)
      ) then c.funding_read_to
    end
$$;
