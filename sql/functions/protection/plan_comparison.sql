-- Plans the next comparison of wanted exits at a venue, by the task of that venue (see plan_task).
create or replace function plan_comparison(of_venue text, delay_s double precision) returns void
language sql as $$
  select plan_task(t.task, t.task, delay_s)
  from (values ('netvenue', 'network/audit'), ('exvenue', 'exchange/audit')) as t (venue, task)
  where t.venue = of_venue
$$;
