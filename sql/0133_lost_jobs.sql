-- A job that has been locked for longer than any task takes was lost with the answer of the statement that fetched it: its worker lives and
-- never heard of it. It is anyone's again. Should somebody be at it after all, tasks are safe to repeat: fences let only one of the two act.
create function release_lost_jobs() returns integer
language sql as $$
  with lost as (
    update graphile_worker._private_jobs
    set locked_at = null, locked_by = null
    where locked_at < now() - interval '2 minutes'
    returning id
  )
  select count(*)::integer
  from lost
$$;
