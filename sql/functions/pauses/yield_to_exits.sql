-- Has what a pause holds asked again whether it may wait, if exits among the newcomers to its lane stand behind it: see wait_for_pause. Locks the
-- pauses of their upstreams and owners: what begins to wait at this moment is seen here, or sees the exits.
create or replace function yield_to_exits(newcomers uuid[]) returns void
language plpgsql as $$
declare
  exits uuid[] := array(
    select e.id
    from intents e
    join lanes l on l.name = e.lane and l.head <> e.id
    where e.id = any(newcomers) and e.is_exit
  );
begin
  if cardinality(exits) = 0 then
    return;
  end if;
  perform from pauses p
  where p.subject in (
    select unnest(array[k.upstream, e.owner])
    from intents e
    join intent_kinds k on k.kind = e.kind
    where e.id = any(exits)
  )
  order by p.subject
  for no key update;
  perform enqueue(array(
    select slot_job(i.kind, i.id, i.is_exit, now())
    from intents i
    where i.phase = 'pending' and i.state = 'queued' and i.sending_at is null
      and exists (select from intents e where e.id = any(exits) and e.lane = i.lane and e.position > i.position)
      and exists (select from queue_jobs j where j.key = 'slot ' || i.id)
    order by i.position
  ));
end $$;
