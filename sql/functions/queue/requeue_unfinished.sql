-- Safety net, as requeue_stranded, for what is not an intent: queues a job for every mail that has not ended, event of the processor that was not
-- applied, and paid registration that is not final, if it has no job, not even a dead one: an operator has deleted it, or it was dead and its
-- retention has passed. Returns how many. The jobs, which no index finds, are read once, and only if something is unfinished: a plan that was made
-- while there were few must not read them once for each.
create or replace function requeue_unfinished() returns integer
language plpgsql
set enable_nestloop = off set enable_mergejoin = off as $$
declare
  lost graphile_worker.job_spec[] := array(
    select u.job
    from (
      select m.id::text, mail_job(m.id, null)
      from mails m
      where m.state = 'queued' and m.created_at < now() - interval '30 seconds'
      union all
      select e.id, event_job(e.id, e.fact)
      from processor_events e
      where e.acted_at is null and e.received_at < now() - interval '30 seconds'
      union all
      select r.id::text, money_job('registration/poll', json_build_object('registration_id', r.id, 'polls', r.polls), null)
      from registrations r
      where r.status in ('pending', 'processing') and r.tx_hash is not null and r.paid_at < now() - interval '30 seconds'
        and (select i.settled_at from intents i where i.id = r.id) is not null
    ) as u (id, job)
    where not exists (
      select from queue_jobs j where coalesce(j.payload ->> 'mail_id', j.payload ->> 'event_id', j.payload ->> 'registration_id') = u.id
    )
  );
begin
  if cardinality(lost) > 0 then
    perform enqueue(lost);
  end if;
  return cardinality(lost);
end $$;
