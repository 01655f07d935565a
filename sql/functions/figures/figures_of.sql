-- The figures of the last `steps` steps of a width that are over: one value for each step, oldest first, null where nothing was measured. Of
-- failures, a step that was counted without one has 0.
create or replace function figures_of(of_width_s integer, steps integer)
returns table (figure text, label text, "values" double precision[])
language sql stable as $$
  with steps_shown as (
    select g.at
    from date_bin(make_interval(secs => of_width_s), now(), 'epoch') as b (ends)
    cross join generate_series(b.ends - make_interval(secs => of_width_s * steps), b.ends - make_interval(secs => of_width_s),
      make_interval(secs => of_width_s)) as g (at)
  ), shown as materialized (
    select f.at, f.figure, f.label, f.value
    from figures f
    where f.width_s = of_width_s and f.at >= (select min(s.at) from steps_shown s)
  ), counted as (
    select distinct n.at
    from shown n
    where n.figure = 'orders_per_second'
  )
  select l.figure, l.label,
    array_agg(coalesce(n.value, case when l.figure = 'failed_intents' and c.at is not null then 0 end) order by s.at)
  from (select distinct n.figure, n.label from shown n) l
  cross join steps_shown s
  left join counted c on c.at = s.at
  left join shown n on n.at = s.at and n.figure = l.figure and n.label = l.label
  group by l.figure, l.label
  order by l.figure, l.label
$$;
