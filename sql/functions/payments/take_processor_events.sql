-- Stores new events and queues the tasks that apply them. An event about an object that none of our rows names is stored and not
-- applied. Item: id, type, said_at_ms, fact. Returns the ids of those that were new and are ours.
-- Locks the objects for the readers of take_up_events, in the order of their keys.
create or replace function take_processor_events(batch jsonb, came_by text) returns table (event_id text, new_outcome text)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(884424, o.key)
  from (
    select distinct hashtext(event_object(i.item -> 'fact')) as key
    from jsonb_array_elements(batch) as i (item)
    order by 1
  ) o
  where o.key is not null;

  return query
  with items as materialized (
    select i.id, i.type, i.said_at_ms, i.fact,
      case when o.event_id is null then 'not_ours' end as outcome
    from jsonb_to_recordset(batch) as i (id text, type text, said_at_ms double precision, fact jsonb)
    left join (
      select distinct e.event_id
      from events_of_ours(batch) e
    ) o on o.event_id = i.id
  ), taken as (
    insert into processor_events as e (id, type, said_at, fact, object_id, source, outcome, acted_at)
    select i.id, i.type, to_timestamp(i.said_at_ms / 1000), i.fact, event_object(i.fact), came_by, i.outcome,
      case when i.outcome is not null then now() end
    from items i
    order by i.id
    on conflict (id) do nothing
    returning e.id, e.outcome, e.fact
  ), queued as (
    select enqueue(array_agg(event_job(t.id, t.fact)))
    from taken t
    where t.outcome is null
    having count(*) > 0
  )
  select t.id, t.outcome
  from taken t
  where t.outcome is distinct from 'not_ours' and (select count(*) from queued) >= 0;
end $$;
