-- Safety net, as requeue_stranded, for what is not an intent: queues a job for every mail that has not ended, event of the processor that was not
-- applied, and paid registration that is not final, if it has no job, not even a dead one: an operator has deleted it, or it was dead and its
-- retention has passed. Returns how many.
create or replace function requeue_unfinished() returns integer
language plpgsql as $$
declare
  lost record;
  requeued integer := 0;
begin
  for lost in
    with queued as materialized (
      select coalesce(j.payload ->> 'mail_id', j.payload ->> 'event_id', j.payload ->> 'registration_id') as id
      from queue_jobs j
    ), unfinished as (
      select m.id::text as id, mail_job(m.id, null) as job, null::integer as polls
      from mails m
      where m.state = 'queued' and m.created_at < now() - interval '30 seconds'
      union all
      select e.id, event_job(e.id, e.fact), null
      from processor_events e
      where e.acted_at is null and e.received_at < now() - interval '30 seconds'
      union all
      select r.id::text, null, r.polls
      from registrations r
      join intents i on i.id = r.id and i.settled_at is not null
      where r.status in ('pending', 'processing') and r.tx_hash is not null and r.paid_at < now() - interval '30 seconds'
    )
    select u.*
    from unfinished u
    where not exists (select from queued q where q.id = u.id)
  loop
    if lost.polls is null then
      perform enqueue(array[lost.job]);
    else
      perform plan_registration_poll(lost.id::uuid, lost.polls, 0);
    end if;
    requeued := requeued + 1;
  end loop;
  return requeued;
end $$;
