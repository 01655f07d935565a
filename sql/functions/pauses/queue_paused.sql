-- Brings forward the jobs of the intents that wait for the end of a pause, and of intents before them in their lanes that another pause holds, since
-- these may have to give way. What is still paused waits again. Returns how many. The caller holds the pause.
create or replace function queue_paused(of_subject text) returns integer
language plpgsql as $$
declare
  due graphile_worker.job_spec[] := array(
    select slot_job(i.kind, i.id, i.is_exit, now())
    from intents i
    join intent_kinds k on k.kind = i.kind
    where i.phase = 'pending' and i.state = 'queued' and i.sending_at is null
      and (of_subject in (k.upstream, i.owner) or exists (
        select
        from intents e
        where e.lane = i.lane and e.phase = 'pending' and e.owner = of_subject and e.position > i.position
      ))
      and exists (select from queue_jobs j where j.key = 'slot ' || i.id)
    order by i.position
  );
begin
  perform enqueue(due);
  return cardinality(due);
end $$;
