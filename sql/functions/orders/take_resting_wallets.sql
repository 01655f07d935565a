-- Takes at most `most` wallets with resting orders at the exchange, least recently read first, and marks them as read. Returns from when on
-- their executions are to be read.
create or replace function take_resting_wallets(most integer) returns table (ex_wallet text, read_to timestamptz)
language sql as $$
  insert into exchange_cursors as c (ex_wallet, read_to)
  select w.trader, w.since
  from (
    select o.trader, min(o.created_at) since
    from orders o
    left join exchange_cursors k on k.ex_wallet = o.trader
    where o.lifecycle = 'resting' and o.venue = 'exvenue'
    group by o.trader
    order by max(k.read_at) nulls first
    limit most
  ) w
  on conflict on constraint exchange_cursors_pkey do update set read_at = now()
  returning c.ex_wallet, c.read_to
$$;
