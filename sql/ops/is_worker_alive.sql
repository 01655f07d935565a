-- Whether the worker of a pool of the queue is alive, by the rule of reap_dead_workers. See worker_limits.
create or replace function ops.is_worker_alive(pool text, held_since timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(
    (
      select bool_or(w.seen_at >= now() - make_interval(secs => limits.dead_s)
        or w.seen_at >= now() - make_interval(secs => limits.stopped_s) and exists (
        select
        from pg_locks l
        join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.locktype = 'advisory' and l.classid = 884422 and l.objid = w.lock_key::oid and l.objsubid = 2 and l.granted
      ))
      from worker_processes w
      where pool = any(w.pool_ids)
    ),
    held_since >= now() - make_interval(secs => limits.orphaned_s)
  )
  from worker_limits() limits
$$;
comment on function ops.is_worker_alive is 'Whether the worker that has held a job since a time is alive: ops.is_worker_alive(locked_by, locked_at).';
