-- Counts the intents that ended, in each step that is over, from the step before the last that was counted. A pause is made up for an hour
-- back. Safe to repeat: the same intents give the same figures, and those that were committed late are counted now.
create or replace function roll_up_endings(of_width_s integer) returns void
language plpgsql as $$
declare
  step constant interval := make_interval(secs => of_width_s);
  ends constant timestamptz := date_bin(step, now(), 'epoch');
  counted constant timestamptz := (select max(f.at) from figures f where f.width_s = of_width_s and f.figure = 'orders_per_second');
  starts constant timestamptz := greatest(ends - interval '1 hour', counted - step);
begin
  delete from figures f
  where f.width_s = of_width_s and f.at >= starts and f.figure in ('orders_per_second', 'settle_p50_seconds', 'settle_p99_seconds', 'failed_intents');

  insert into figures (width_s, at, figure, label, value)
  with ended as materialized (
    select date_bin(step, i.settled_at, 'epoch') as at, k.upstream, k.venue is not null as is_order,
      extract(epoch from i.settled_at - i.created_at) as settle_s, i.state, i.code
    from intent_kinds k
    cross join lateral (
      select n.settled_at, n.created_at, n.state, n.outcome -> 'problem' ->> 'code' as code
      from intents n
      where n.kind = k.kind and n.settled_at >= starts and n.settled_at < ends
    ) i
  ), orders as (
    select e.at, e.upstream, count(*) as count, percentile_cont(array[0.5, 0.99]) within group (order by e.settle_s) as settle_s
    from ended e
    where e.is_order
    group by e.at, e.upstream
  )
  select of_width_s, s.at, 'orders_per_second', v.venue, coalesce(o.count, 0)::double precision / of_width_s
  from generate_series(starts, ends - step, step) as s (at)
  cross join (select distinct k.venue from intent_kinds k where k.venue is not null) as v (venue)
  left join orders o on o.at = s.at and o.upstream = v.venue
  union all
  select of_width_s, o.at, p.figure, o.upstream, p.value
  from orders o
  cross join lateral (values ('settle_p50_seconds', o.settle_s[1]), ('settle_p99_seconds', o.settle_s[2])) as p (figure, value)
  union all
  select of_width_s, e.at, 'failed_intents', coalesce(e.code, e.state), count(*)
  from ended e
  where e.state in ('failed', 'expired')
  group by e.at, coalesce(e.code, e.state)
  on conflict (width_s, at, figure, label) do update set value = excluded.value;
end
$$;
