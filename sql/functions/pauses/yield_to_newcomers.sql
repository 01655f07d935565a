-- Makes intents that wait unsent check again whether they may (see wait_for_pause), and how urgent they are (see exits_wait_behind), if newcomers
-- behind them in their lane may go on: exits, and intents behind one of another owner. What is executed at this moment is left alone. Locks the
-- pauses of the upstreams and owners of all in these lanes, so an intent that begins to wait at this moment is seen here or sees the newcomers.
create or replace function yield_to_newcomers(newcomers uuid[]) returns void
language plpgsql as $$
declare
  behind uuid[] := array(
    select e.id
    from intents e
    join lanes l on l.name = e.lane and l.head <> e.id
    where e.id = any(newcomers) and (e.is_exit or exists (
      select
      from intents o
      where o.lane = e.lane and o.phase = 'pending' and o.owner <> e.owner and o.position < e.position
    ))
  );
begin
  if cardinality(behind) = 0 then
    return;
  end if;
  perform from pauses p
  where p.subject in (
    select unnest(array[k.upstream, i.owner])
    from intents i
    join intent_kinds k on k.kind = i.kind
    where i.phase = 'pending' and i.lane in (select e.lane from intents e where e.id = any(behind))
  )
  order by p.subject
  for no key update;
  perform graphile_worker.reschedule_jobs(array(
    select j.id
    from intents i
    cross join lateral (
      select q.id
      from queue_jobs q
      where q.key = 'slot ' || i.id and q.run_at > now()
      limit 1
    ) j
    where i.phase = 'pending' and i.state = 'queued' and i.sending_at is null
      and exists (select from intents e where e.id = any(behind) and e.lane = i.lane and e.position > i.position)
    order by i.position
  ), now(), priority_of(true));
end $$;
