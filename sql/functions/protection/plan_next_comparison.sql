-- Plans the next comparison of wanted exits at a venue for when the first is due, and not before `least_s`. None if nothing is wanted there: what
-- wants exits plans one itself.
create or replace function plan_next_comparison(of_venue text, least_s double precision) returns void
language sql as $$
  select plan_comparison(of_venue, greatest(least_s, extract(epoch from min(first.due_at) - now())))
  from (values (true), (false)) as b (is_changed)
  cross join lateral (
    select w.due_at
    from wanted_exits w
    where w.venue = of_venue and w.is_changed = b.is_changed and w.due_at is not null
    order by w.due_at
    limit 1
  ) first
  having count(*) > 0
$$;
