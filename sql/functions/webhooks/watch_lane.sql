-- Plans the next job of a lane whose attempt runs without a job. If its worker dies, that job takes over.
create or replace function watch_lane(endpoint text, of_lane integer, delay_s double precision) returns void
language sql as $$
  select enqueue(array[lane_job(endpoint, of_lane, now() + make_interval(secs => delay_s))])
$$;
