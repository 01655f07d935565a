-- Lets the look-up of an intent in doubt happen at once. No effect on any other intent, or while it is looked up.
create or replace function hurry_doubt(intent uuid) returns void
language plpgsql as $$
declare
  planned bigint[];
begin
  select array_agg(j.id) into planned
  from intents i
  join queue_jobs j on j.key = 'doubt ' || i.id
  where i.id = intent and i.state = 'in_doubt' and j.locked_at is null and j.run_at > now();
  if planned is not null then
    perform graphile_worker.reschedule_jobs(planned, now());
  end if;
end $$;
