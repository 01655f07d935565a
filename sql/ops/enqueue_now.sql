-- Internal to the kit: gives an intent that no worker holds a job that is due now, and its position in the lane.
create or replace function ops.enqueue_now(i intents) returns void
language plpgsql as $$
declare
  planned bigint[];
begin
  if i.lane is not null and i.state in ('queued', 'running') and not i.has_turn then
    insert into lanes (name, head)
    values (i.lane, i.id)
    on conflict (name) do update set head = excluded.head;
  end if;
  perform graphile_worker.force_unlock_workers(array(
    select distinct j.locked_by
    from ops.jobs j
    where j.intent_id = i.id and j.task = i.kind and j.locked_at is not null
  ));
  perform graphile_worker.complete_jobs(array(
    select j.job_id
    from ops.jobs j
    where j.intent_id = i.id and j.is_dead
  ));
  planned := array(
    select j.job_id
    from ops.jobs j
    where j.intent_id = i.id and j.task = i.kind and j.locked_at is null
  );
  if cardinality(planned) > 0 then
    perform graphile_worker.reschedule_jobs(planned, run_at => now());
  else
    perform enqueue(array[job_for(i.kind, i.id, null)]);
  end if;
end $$;
comment on function ops.enqueue_now is 'Internal to the kit.';
