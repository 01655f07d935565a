-- Has what a pause holds asked again whether it may wait, if newcomers to its lane stand behind it that the pause may let go on: exits, and what
-- another owner than that of the head has sent. See wait_for_pause. Locks the pauses of the upstreams and owners of the newcomers: what begins to
-- wait for one of them at this moment is seen here, or sees the newcomers.
create or replace function yield_to_newcomers(newcomers uuid[]) returns void
language plpgsql as $$
declare
  behind uuid[] := array(
    select e.id
    from intents e
    join lanes l on l.name = e.lane and l.head <> e.id
    join intents h on h.id = l.head
    where e.id = any(newcomers) and (e.is_exit or h.owner <> e.owner)
  );
begin
  if cardinality(behind) = 0 then
    return;
  end if;
  perform from pauses p
  where p.subject in (
    select unnest(array[k.upstream, e.owner])
    from intents e
    join intent_kinds k on k.kind = e.kind
    where e.id = any(behind)
  )
  order by p.subject
  for no key update;
  perform enqueue(array(
    select slot_job(i.kind, i.id, i.is_exit, now())
    from intents i
    where i.phase = 'pending' and i.state = 'queued' and i.sending_at is null
      and exists (select from intents e where e.id = any(behind) and e.lane = i.lane and e.position > i.position)
      and exists (select from queue_jobs j where j.key = 'slot ' || i.id)
    order by i.position
  ));
end $$;
