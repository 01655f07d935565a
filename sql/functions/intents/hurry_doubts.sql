-- Brings the look-ups forward of the intents in doubt that hold slots at the upstream at which this one in doubt holds one, if an intent waits there that
-- such a slot would be handed to: the upstream responds again, and each look-up may prove a free thread (see release_by_proof). One of them is due
-- every `every_s` on average. Returns how many they are, this one included; 0 if nobody waits or it holds none.
create or replace function hurry_doubts(intent uuid, every_s double precision) returns integer
language plpgsql as $$
declare
  doubts uuid[];
  late record;
begin
  select array_agg(h.id) into doubts
  from upstream_slots mine
  join upstream_slots u on u.upstream = mine.upstream and u.held_until > now()
  join intents h on h.id = u.intent_id and h.state = 'in_doubt'
  where mine.intent_id = intent and mine.held_until > now()
    and exists (
      select
      from intents w
      where w.upstream = mine.upstream and w.state = 'queued' and (w.is_exit or not mine.for_exits)
        and not exists (select from upstream_slots s where s.intent_id = w.id)
    );
  if doubts is null then
    return 0;
  end if;
  for late in
    select j.id
    from queue_jobs j
    join intents h on h.id::text = j.payload ->> 'intent_id'
    where h.id = any(doubts) and h.id <> intent and h.reached_at is null and j.locked_at is null
      and j.run_at > now() + make_interval(secs => every_s * cardinality(doubts))
  loop
    perform graphile_worker.reschedule_jobs(array[late.id], now() + make_interval(secs => every_s * cardinality(doubts) * random()));
  end loop;
  return cardinality(doubts);
end $$;
