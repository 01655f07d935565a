-- Deletes jobs whose attempts are used up. The row that such a job was for is still open and gets a new job. Like all prune_…
-- functions it deletes at most `most` rows older than `kept_s` (seconds) and returns how many; call it again while that is `most`.
create or replace function prune_dead_jobs(kept_s double precision, most integer) returns bigint
language sql as $$
  select count(*)
  from graphile_worker.complete_jobs(array(
    select j.id
    from graphile_worker.jobs j
    where j.attempts >= j.max_attempts
      and j.locked_at is null
      and j.updated_at < now() - make_interval(secs => kept_s)
    order by j.id
    limit most
  ))
$$;
