-- Releases the jobs of every dead worker except the caller, and those that an unregistered worker has held for long; `unknown_s` null: without the
-- latter, which are found by reading every locked job. Returns the number of dead workers.
create or replace function reap_dead_workers(caller uuid, silent_s double precision, stopped_s double precision, unknown_s double precision)
returns integer
language plpgsql as $$
declare
  dead record;
  reaped integer := 0;
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
    reaped := reaped + 1;
  end loop;
  if unknown_s is not null then
    perform graphile_worker.force_unlock_workers(array(
      select distinct j.locked_by
      from queue_jobs j
      where j.locked_at < now() - make_interval(secs => unknown_s)
        and not exists (select from worker_processes w where j.locked_by = any(w.pool_ids))
    ));
  end if;
  if reaped > 0 then
    perform drop_superseded_jobs();
  end if;
  return reaped;
end $$;
