-- What the processor told us, or what we found in its list: each event once, stored before anything is done about it.
create table processor_events (
  id text primary key,
  type text not null,
  said_at timestamptz not null,
  fact jsonb not null,
  source text not null constraint processor_events_source_known check (source in ('notified', 'listed')),
  payment_id text references payments (id),
  outcome text constraint processor_events_outcome_known check (outcome in ('applied', 'stale', 'not_ours', 'unknown')),
  received_at timestamptz not null default now(),
  acted_at timestamptz
);
create index processor_events_of_payment on processor_events (payment_id, said_at);
create index processor_events_open on processor_events (received_at) where acted_at is null;

comment on column processor_events.fact is 'What we act on, and no more of the event: nothing personal is kept.';
comment on column processor_events.said_at is 'By the processor''s clock, to the second.';
comment on column processor_events.outcome is 'unknown: it is about something we do not know (yet); it is looked at again for a day.';

-- How far the processor's list of events has been read.
create table processor_cursor (
  only_row boolean primary key default true constraint processor_cursor_one_row check (only_row),
  seen_at timestamptz not null
);

-- Stores events that are new and queues what acts on them. Item: id, type, said_at_ms, fact, task (null: nothing of ours).
-- Returns how many were new.
create function take_processor_events(batch jsonb, came_by text) returns bigint
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
    select graphile_worker.add_jobs(array_agg(money_job(i.task, json_build_object('event_id', i.id), null)))
    from items i
    join taken t on t.id = i.id
    where i.task is not null
    having count(*) > 0
  )
  select count(*)
  from taken
  where (select count(*) from queued) >= 0
$$;
