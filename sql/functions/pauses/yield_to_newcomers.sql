-- Makes intents that wait unsent check again whether they may (see wait_for_pause), and how urgent they are (see exits_wait_behind), if newcomers
-- behind them in their lane (turns_of) may go on: exits, and intents behind one of another owner. What is executed at this moment is left alone.
-- Locks the exits of their lanes (see is_urgent), then the pauses of the upstreams and owners of all before and beside them there, so an intent that
-- begins to wait at this moment is seen here or sees the newcomers.
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
      where o.lane = e.lane and o.phase = 'pending' and o.owner <> e.owner and o.position < e.position and turns_of(o.lane, o.owner) is null
    ))
  );
begin
  if cardinality(behind) = 0 then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('exits of ' || x.lane, 0))
  from (
    select distinct e.lane
    from unnest(behind) as b (id)
    cross join lateral (
      select w.lane
      from intents w
      where w.id = b.id and w.is_exit
      limit 1
    ) e
    order by e.lane
  ) x;
  perform from pauses p
  where p.subject in (
    select unnest(array[i.upstream, i.owner])
    from unnest(behind) as b (id)
    cross join lateral (
      select w.lane, turns_of(w.lane, w.owner) as turns
      from intents w
      where w.id = b.id
      limit 1
    ) e
    cross join lateral (
      select k.upstream, m.owner
      from intents m
      join intent_kinds k on k.kind = m.kind
      where m.lane = e.lane and m.phase = 'pending' and (e.turns is null or m.owner = e.turns)
      offset 0
    ) i
  )
  order by p.subject
  for no key update;
  perform hurry_unsent(array(
    select distinct i.id
    from unnest(behind) as b (id)
    cross join lateral (
      select w.lane, w.position, turns_of(w.lane, w.owner) as turns
      from intents w
      where w.id = b.id
      limit 1
    ) e
    cross join lateral (
      select m.id
      from intents m
      where m.lane = e.lane and m.phase = 'pending' and m.position < e.position and (e.turns is null or m.owner = e.turns)
      offset 0
    ) i
  ), true);
end $$;
