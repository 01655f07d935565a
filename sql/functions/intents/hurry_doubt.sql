-- Lets the look-up of an intent in doubt happen at once. No effect on any other intent, or while it is looked up.
create or replace function hurry_doubt(intent uuid) returns void
language sql as $$
  select graphile_worker.reschedule_jobs(array(
    select j.id
    from queue_jobs j
    where j.key = 'doubt ' || intent and j.run_at > now()
  ), now())
$$;
