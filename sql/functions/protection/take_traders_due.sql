-- Takes at most `most` traders whose wanted exits are due for a comparison; nobody else gets them for `hold_s`. In three of four calls those that may
-- have changed come first, so that the others have turns too. Owners take turns by lot, as a call may take one trader only; of an owner those come
-- first that have waited longest. A wallet that several owners share comes in the first of their turns.
create or replace function take_traders_due(of_venue text, most integer, hold_s double precision) returns setof text
language sql as $$
  with begins as materialized (
    select random() < 0.75 as with_changed
  ), line as materialized (
    select w.trader, w.pair, row_number() over (order by w.is_changed = b.with_changed desc, w.nth, random()) as position
    from begins b
    cross join (
      select n.trader, n.pair, n.is_changed, min(n.nth) as nth
      from (
        select d.trader, d.pair, d.is_changed, row_number() over (partition by o.owner, d.is_changed order by d.due_at) as nth
        from wanted_exits d
        cross join lateral (
          select d.owner
          union all
          select e.entry ->> 'owner'
          from jsonb_array_elements(d.wanted) as e (entry)
          where e.entry ->> 'owner' <> d.owner
        ) o
        where d.venue = of_venue and d.due_at <= now()
      ) n
      group by n.trader, n.pair, n.is_changed
    ) w
  ), due as materialized (
    select w.trader, w.pair
    from line l
    join wanted_exits w on w.venue = of_venue and w.trader = l.trader and w.pair = l.pair
    where l.position <= 4 * most -- some may be taken by others meanwhile
      and w.due_at <= now()
    order by l.position
    limit most
    for update of w skip locked
  ), taken as (
    update wanted_exits w
    set due_at = now() + make_interval(secs => hold_s)
    from due d
    where w.venue = of_venue and w.trader = d.trader and w.pair = d.pair
    returning w.trader
  )
  select distinct t.trader from taken t
$$;
