-- Queues the events of an object that arrived before a row of ours named it. Runs in the transaction that writes the name, after the
-- write. Its lock makes sure that a concurrent take_processor_events sees the name, or this call sees its event.
create or replace function take_up_events(object text) returns void
language plpgsql as $$
declare
  jobs graphile_worker.job_spec[];
begin
  perform pg_advisory_xact_lock(884424, hashtext(object));
  with ours as materialized (
    select o.event_id
    from events_of_ours((
      select jsonb_agg(jsonb_build_object('id', e.id, 'fact', e.fact))
      from processor_events e
      where e.object_id = object and e.outcome = 'not_ours'
    )) o
  ), again as (
    update processor_events e
    set outcome = null, acted_at = null
    where e.id in (select o.event_id from ours o) and e.outcome = 'not_ours'
    returning e.id, e.fact
  )
  select array_agg(event_job(a.id, a.fact)) into jobs from again a;
  if jobs is not null then
    perform enqueue(jobs);
  end if;
end $$;
