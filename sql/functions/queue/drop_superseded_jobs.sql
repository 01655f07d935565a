-- Deletes jobs that a worker had when a newer job with their key was added, and that it did not finish: the newer job does their work. The
-- queue takes their key and their attempts away from them, so without this they would look like dead jobs. These are the jobs of the crontab,
-- and of the tasks named here: every job of theirs has a key, whoever plans it. Also those of intents that have ended, or that have a job with a key
-- (slot_job, doubt_job). The queue passes over those that a worker has. Returns how many.
create or replace function drop_superseded_jobs() returns integer
language sql as $$
  select count(*)::integer
  from graphile_worker.complete_jobs(array(
    select j.id
    from queue_jobs j
    where j.key is null
      and j.attempts >= j.max_attempts
      and (j.payload ->> '_cron' is not null or j.task in (
        'exchange/watch', 'trading/watch', 'network/audit', 'exchange/audit', 'enrollments/verify', 'ledger/prove', 'housekeeping/prune',
        'housekeeping/forget', 'webhooks/deliver', 'webhooks/dispatch'
      ) or exists (
        select
        from intents i
        where i.id = substring(j.payload ->> 'intent_id' from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid and i.settled_at is not null
      ) or exists (
        select from queue_jobs k where k.key in ('slot ' || (j.payload ->> 'intent_id'), 'doubt ' || (j.payload ->> 'intent_id'))
      ))
  ))
$$;
