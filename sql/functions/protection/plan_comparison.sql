-- Plans the next comparison of wanted exits at a venue, by the task of that venue. There is one planned, and at most a comparison at once replaces
-- it.
create or replace function plan_comparison(of_venue text, delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job(t.task, '{}', run_at => now() + make_interval(secs => delay_s), job_key => t.task,
    job_key_mode => case when delay_s > 0 then 'preserve_run_at' else 'replace' end, max_attempts => 25)
  from (values ('netvenue', 'network/audit'), ('exvenue', 'exchange/audit')) as t (venue, task)
  where t.venue = of_venue
$$;
