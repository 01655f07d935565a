-- Releases jobs that have been locked for longer than any task takes. Each was lost with the response to the statement that fetched it, and
-- its worker does not know of it. If a worker does run it, no harm is done: tasks are safe to repeat, and fences let only one of the two
-- act. One that somebody holds is left to the next run. Returns how many.
create or replace function release_lost_jobs() returns integer
language sql as $$
  with lost as (
    update queue_jobs
    set locked_at = null, locked_by = null
    where id in (select j.id from queue_jobs j where j.locked_at < now() - interval '2 minutes' for update skip locked)
    returning id
  )
  select count(*)::integer
  from lost
$$;
