create or replace view ops.workers as
select w.id as worker_id, w.started_at, extract(epoch from now() - w.seen_at)::double precision as seen_s_ago,
  exists (
    select
    from pg_locks l
    join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.classid = 884422 and l.objid = w.lock_key::oid and l.objsubid = 2 and l.granted
  ) as has_lock,
  (
    select count(*)
    from queue_jobs j
    where j.locked_by = any(w.pool_ids)
  )::integer as jobs
from worker_processes w
order by w.started_at;
comment on view ops.workers is
  'Worker processes. Each sends a heartbeat every second and holds a lock. Without a heartbeat, others release its jobs after 2 s without the lock, '
  'after 8 s with it.';
