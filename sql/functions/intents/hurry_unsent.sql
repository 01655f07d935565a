-- Brings the jobs forward of intents that wait unsent, by the key of slot_job, `first` before all others. One that a worker has is left alone: a
-- second job would be taken for the end of that worker. Returns how many.
create or replace function hurry_unsent(waiting uuid[], first boolean) returns integer
language sql as $$
  select count(*)::integer
  from graphile_worker.reschedule_jobs(array(
    select j.id
    from unnest(waiting) as w (id)
    cross join lateral (
      select i.id
      from intents i
      where i.id = w.id and i.state = 'queued' and i.sending_at is null
      limit 1
    ) u
    cross join lateral (
      select q.id
      from queue_jobs q
      where q.key = 'slot ' || u.id and q.run_at > now()
      limit 1
    ) j
  ), now(), case when first then priority_of(true) end)
$$;
