-- Takes at most `most` traders of whose wanted exits a comparison is due, those first that may have changed, and leaves them to nobody else for
-- `hold_s`.
create or replace function take_traders_due(of_venue text, most integer, hold_s double precision) returns setof text
language sql as $$
  with due as materialized (
    select w.trader, w.pair
    from wanted_exits w
    where w.venue = of_venue and w.due_at <= now()
    order by w.is_changed desc, w.due_at
    limit most
    for update skip locked
  ), taken as (
    update wanted_exits w
    set due_at = now() + make_interval(secs => hold_s)
    from due d
    where w.venue = of_venue and w.trader = d.trader and w.pair = d.pair
    returning w.trader
  )
  select distinct t.trader from taken t
$$;
