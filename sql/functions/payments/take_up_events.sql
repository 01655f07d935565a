-- Queues the events of an object that arrived before a row of ours named it. Runs in the transaction that writes the name, after the
-- write. Its lock makes sure that a concurrent take_processor_events sees the name, or this call sees its event.
create or replace function take_up_events(object text) returns void
language plpgsql as $$
declare
  queued bigint;
begin
  perform pg_advisory_xact_lock(884424, hashtext(object));
  with ours as materialized (
    select o.event_id
    from events_of_ours((
      select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'fact', e.fact)), '[]')
      from processor_events e
      where e.object_id = object and e.outcome = 'not_ours'
    )) o
  ), again as (
    update processor_events e
    set outcome = null, acted_at = null
    where e.id in (select o.event_id from ours o) and e.outcome = 'not_ours'
    returning e.id, e.fact
  ), again_queued as (
    select queue_money_jobs(array_agg(money_job(event_task(a.fact ->> 'about', a.fact ->> 'of'), json_build_object('event_id', a.id), null)))
    from again a
    having count(*) > 0
  )
  select count(*) into queued from again_queued;
end $$;
