-- Worker processes alive. Each holds a session-level advisory lock on its `lock_key` and moves `seen_at` forward.
-- A worker that is silent and has lost its lock is dead; one that is silent for long is taken for dead although it may
-- only be stopped: its fences have moved on when it wakes.
create table worker_processes (
  id uuid primary key,
  lock_key bigint generated always as identity,
  pool_ids text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- Hands back the jobs of every dead worker but the caller, and those that nobody registered has held for long.
-- Returns how many workers were found dead.
create function bury_dead_workers(caller uuid, silent_s double precision, stopped_s double precision, unknown_s double precision) returns integer
language plpgsql as $$
declare
  dead record;
  buried integer := 0;
begin
  for dead in
    select w.id, w.lock_key, w.pool_ids
    from worker_processes w
    where w.id <> caller
      and w.seen_at < now() - make_interval(secs => silent_s)
      and (w.seen_at < now() - make_interval(secs => stopped_s)
        or pg_try_advisory_xact_lock(884422, w.lock_key::integer))
    for update skip locked
  loop
    perform graphile_worker.force_unlock_workers(dead.pool_ids);
    delete from worker_processes where id = dead.id;
    buried := buried + 1;
  end loop;
  perform graphile_worker.force_unlock_workers(array(
    select distinct j.locked_by
    from graphile_worker._private_jobs j
    where j.locked_at < now() - make_interval(secs => unknown_s)
      and not exists (select from worker_processes w where j.locked_by = any(w.pool_ids))
  ));
  return buried;
end $$;
