-- Brings forward the jobs of the intents that wait for the end of a pause, and of intents before them in their lanes that another pause holds, since
-- these may have to give way. What is still paused waits again. One that is executed at this moment waits for the caller, who holds the pause, and
-- then goes on. Returns how many.
create or replace function queue_paused(of_subject text) returns integer
language sql as $$
  select count(*)::integer
  from graphile_worker.reschedule_jobs(array(
    select j.id
    from intents i
    join intent_kinds k on k.kind = i.kind
    cross join lateral (
      select q.id
      from queue_jobs q
      where q.key = 'slot ' || i.id and q.run_at > now()
      limit 1
    ) j
    where i.phase = 'pending' and i.state = 'queued' and i.sending_at is null
      and (of_subject in (k.upstream, i.owner) or exists (
        select
        from intents e
        where e.lane = i.lane and e.phase = 'pending' and e.owner = of_subject and e.position > i.position
      ))
  ), now())
$$;
