-- Queues a job for every open intent that should have one and has none, or has passed its deadline unsent and has one that is due only later (it has
-- thrown, or somebody has put it off), for lanes whose head has ended, and for owners whose turn was missed beside another owner's (turns_of). After
-- a crash of PostgreSQL it restores what the log does not have (restore_unlogged), and has the first of each line make the slots again (claim_slot).
-- A lane that somebody holds is left to the next run. Returns how many had no job.
create or replace function requeue_stranded() returns integer
language plpgsql as $$
declare
  stranded record;
  requeued integer := 0;
begin
  perform restore_unlogged();
  perform enqueue(array[slot_job(w.kind, w.id, w.is_exit, now())])
  from (
    select distinct on (i.waits_at) i.waits_at, i.kind, i.id, i.is_exit
    from intents i
    where i.waits_at is not null
    order by i.waits_at, i.is_exit desc, i.position
  ) w
  where not exists (select from upstream_slots u where u.upstream = w.waits_at);
  for stranded in
    select i.id, i.kind, i.is_exit, i.state, i.owner, i.lane, i.has_turn, h.id as head
    from intents i
    left join lanes l on l.name = i.lane
    left join intents h on h.id = l.head and h.state in ('queued', 'running')
    where (i.phase = 'pending' or i.phase = 'in_doubt')
      and i.created_at < now() - interval '30 seconds'
      and (i.lane is null or i.state = 'in_doubt' or h.id is null or h.id = i.id or i.has_turn or (
        h.owner <> turns_of(i.lane, i.owner)
        and not exists (select from intents t where t.lane = i.lane and t.phase = 'pending' and t.owner = i.owner and t.has_turn)
        and not exists (select from intents t where t.lane = i.lane and t.phase = 'pending' and t.owner = i.owner and t.position < i.position)
      ))
      and (i.id::text not in (
        select j.payload ->> 'intent_id'
        from queue_jobs j
        where j.payload ->> 'intent_id' is not null and j.attempts < j.max_attempts
      ) or i.deadline_at < now() - interval '30 seconds' and i.sending_at is null and i.id::text not in (
        select j.payload ->> 'intent_id'
        from queue_jobs j
        where j.payload ->> 'intent_id' is not null and j.attempts < j.max_attempts and j.run_at <= now()
      ))
    order by i.lane, i.position
  loop
    if stranded.state <> 'in_doubt' and stranded.lane is not null and not stranded.has_turn then
      perform from lanes where name = stranded.lane for update skip locked;
      continue when not found;
      update lanes l
      set head = stranded.id
      where l.name = stranded.lane
        and exists (select from intents i where i.id = stranded.id and i.state in ('queued', 'running'))
        and not exists (
          select from intents h where h.id = l.head and h.id <> stranded.id and h.state in ('queued', 'running')
        );
      if not found then
        continue when stranded.head is null; -- one before it has become the head
        perform advance_lane(stranded.lane, null, stranded.owner);
        requeued := requeued + 1;
        continue;
      end if;
    end if;
    perform enqueue(array[case
      when stranded.state = 'in_doubt' then doubt_job(stranded.kind, stranded.id, stranded.is_exit, null)
      else slot_job(stranded.kind, stranded.id, stranded.is_exit, now()) -- in place of the one that it gave before, if that has thrown too
    end]);
    requeued := requeued + 1;
  end loop;
  return requeued;
end $$;
