-- Whether a worker has sent a heartbeat since it would count as dead.
create or replace function has_live_worker() returns boolean
language sql stable as $$
  select exists (
    select
    from worker_processes w
    cross join worker_limits() l
    where w.seen_at >= now() - make_interval(secs => l.stopped_s)
  )
$$;
