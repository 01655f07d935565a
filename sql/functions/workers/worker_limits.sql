-- When a worker counts as dead: after `dead_s` without a heartbeat and without its lock, after `stopped_s` without a heartbeat whatever its lock, and
-- an unregistered one after it has held a job for `orphaned_s`. The heartbeat is sent every second.
create or replace function worker_limits(out dead_s double precision, out stopped_s double precision, out orphaned_s double precision)
language sql immutable as $$
  select 2, 8, 60
$$;
