-- Internal to the kit: gives intents a job each that is due now, and their positions in their lanes: at most one of each owner that has turns of its
-- own there (turns_of). One that a living worker has taken since they were assessed is left to it, as is all else that it has: freed, that would be
-- executed a second time.
create or replace function ops.enqueue_now(ids uuid[]) returns void
language plpgsql as $$
declare
  planned bigint[];
  planned_of uuid[];
begin
  insert into lanes (name, head)
  select distinct on (i.lane) i.lane, i.id
  from intents i
  where i.id = any(ids) and i.lane is not null and i.state in ('queued', 'running') and not i.has_turn and not exists (
      select
      from lanes l
      join intents h on h.id = l.head and h.state in ('queued', 'running')
      where l.name = i.lane
    )
  order by i.lane, i.position
  on conflict (name) do update set head = excluded.head;
  update intents i
  set has_turn = true
  from lanes l
  where i.id = any(ids) and l.name = i.lane and l.head <> i.id and i.state in ('queued', 'running') and not i.has_turn;
  perform graphile_worker.force_unlock_workers(array(
    select distinct j.locked_by
    from ops.jobs j
    join intents i on i.id = j.intent_id and i.kind = j.task
    where j.intent_id in (select unnest(ids)) and j.locked_at is not null and not j.is_held
  ));
  perform graphile_worker.complete_jobs(array(
    select j.job_id
    from ops.jobs j
    where j.intent_id in (select unnest(ids)) and j.is_dead
  ));
  select array_agg(j.job_id) filter (where j.locked_at is null), array_agg(j.intent_id) into planned, planned_of
  from ops.jobs j
  join intents i on i.id = j.intent_id and i.kind = j.task
  where j.intent_id in (select unnest(ids));
  planned := array(
    select q.id
    from queue_jobs q
    where q.id = any(planned) and q.locked_at is null
    for update skip locked -- a worker is taking it
  );
  if cardinality(planned) > 0 then
    perform graphile_worker.reschedule_jobs(planned, run_at => now());
  end if;
  perform enqueue(array(
    select job_for(i.kind, i.id, i.is_exit, null)
    from intents i
    where i.id = any(ids) and i.id <> all(coalesce(planned_of, '{}'))
    order by i.position
  ));
end $$;
comment on function ops.enqueue_now is 'Internal to the kit.';
