-- Makes the lanes and paces again that PostgreSQL has emptied after a crash or on a standby that took over; nothing is written while they are there.
-- The head of a lane is the open intent that has a job, else the first one, which gets a job. Of a pace, one for each intent that was sent within its
-- window. It waits until nobody writes to intents, so what accepts, sends or sweeps calls it first, before it locks any of them. Slots: see
-- claim_slot.
create or replace function restore_unlogged() returns void
language plpgsql as $$
declare
  front record;
begin
  if exists (select from unlogged_state) then
    return;
  end if;
  lock table intents in share row exclusive mode; -- an intent that ended meanwhile would be the head of its lane
  if exists (select from unlogged_state) then
    return;
  end if;
  for front in
    select distinct on (i.lane) i.lane, i.id, i.kind, i.is_exit, j.intent_id is not null as has_job
    from intents i
    left join (
      select distinct q.payload ->> 'intent_id' as intent_id
      from queue_jobs q
      where q.payload ->> 'intent_id' is not null and q.attempts < q.max_attempts
    ) j on j.intent_id = i.id::text
    where i.phase = 'pending' and i.lane is not null
    order by i.lane, j.intent_id is not null and not i.has_turn desc, i.position
  loop
    insert into lanes as l (name, head)
    values (front.lane, front.id)
    on conflict (name) do update set head = excluded.head;
    if not front.has_job then
      perform enqueue(array[job_for(front.kind, front.id, front.is_exit, null)]);
    end if;
  end loop;
  insert into paces (name, taken)
  select signals_pace(s.request ->> 'trader'), array_agg(s.sending_at order by s.sending_at desc)
  from (
    select i.request, i.sending_at
    from intents i
    where (i.phase = 'pending' or i.phase = 'in_doubt') and venue_of(i.kind) = 'netvenue'
    union all
    select i.request, i.sending_at
    from intent_kinds k
    join intents i on i.kind = k.kind and i.settled_at > now() - pace_window()
    where k.venue = 'netvenue'
  ) s
  where s.sending_at > now() - pace_window() and s.request ? 'trader'
  group by 1
  on conflict (name) do nothing;
  insert into unlogged_state (name) values ('kept');
end $$;
