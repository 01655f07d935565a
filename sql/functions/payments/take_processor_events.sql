-- Stores new events and queues the tasks that apply them. Item: id, type, said_at_ms, fact, task (null: the event is ignored). Returns how
-- many were new.
create or replace function take_processor_events(batch jsonb, came_by text) returns bigint
language sql as $$
  with items as (
    select i.id, i.type, i.said_at_ms, i.fact, i.task
    from jsonb_to_recordset(batch) as i (id text, type text, said_at_ms double precision, fact jsonb, task text)
  ), taken as (
    insert into processor_events (id, type, said_at, fact, source, outcome, acted_at)
    select i.id, i.type, to_timestamp(i.said_at_ms / 1000), i.fact, came_by,
      case when i.task is null then 'not_ours' end, case when i.task is null then now() end
    from items i
    order by i.id
    on conflict (id) do nothing
    returning id
  ), queued as (
    select queue_money_jobs(array_agg(money_job(i.task, json_build_object('event_id', i.id), null)))
    from items i
    join taken t on t.id = i.id
    where i.task is not null
    having count(*) > 0
  )
  select count(*)
  from taken
  where (select count(*) from queued) >= 0
$$;
