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

-- Queues another go at events that are still open a minute after they came, for a day. Returns how many.
create function requeue_open_events() returns bigint
language sql as $$
  with again as (
    select queue_money_jobs(array[money_job(
      case e.fact ->> 'about' when 'verification' then 'kyc/notified' when 'account' then 'payouts/notified' when 'payout' then 'payouts/notified'
        else 'payments/notified' end,
      json_build_object('event_id', e.id), null)])
    from processor_events e
    where e.acted_at is null
      and e.outcome = 'unknown'
      and e.received_at between now() - interval '1 day' and now() - interval '1 minute'
  )
  select count(*) from again
$$;

-- Queues a look at payments the processor has not ended, at most so many; for two days after the checkout. Returns how many.
create function queue_payment_looks(every_s double precision, most integer) returns bigint
language sql as $$
  with due as (
    select p.id
    from payments p
    where p.paid_at is null
      and p.status not in ('pending', 'failed', 'canceled')
      and p.created_at between now() - interval '2 days' and now() - make_interval(secs => every_s)
      and (p.looked_at is null or p.looked_at < now() - make_interval(secs => every_s))
    order by p.looked_at nulls first
    limit most
    for update skip locked
  ), looked as (
    update payments p
    set looked_at = now()
    from due
    where p.id = due.id
    returning queue_money_jobs(array[money_job('payments/look', json_build_object('payment_id', p.id), null)])
  )
  select count(*) from looked
$$;
