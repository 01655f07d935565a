-- One event for one endpoint. Deliveries are no intents: an intent has at most one effect, a deadline, and a look-up when its answer is
-- lost; a delivery is repeated for days under one id until it is answered, and a lost answer only means once more.
create table webhook_deliveries (
  id text primary key,
  app text not null,
  endpoint_id text not null references webhook_endpoints (id),
  event_id text not null references events (id),
  state text not null default 'pending' constraint webhook_deliveries_state_known
    check (state in ('pending', 'sending', 'delivered', 'failed', 'cancelled')),
  due_at timestamptz not null default now(),
  lane integer constraint webhook_deliveries_four_lanes check (lane between 0 and 3),
  fence integer not null default 0,
  attempts integer not null default 0,
  tries integer not null default 0,
  response_status integer,
  error text,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  ended_at timestamptz,
  constraint webhook_deliveries_once_per_endpoint unique (endpoint_id, event_id),
  constraint webhook_deliveries_in_a_lane check ((state = 'sending') = (lane is not null)),
  constraint webhook_deliveries_ended_at_end check ((state in ('pending', 'sending')) = (ended_at is null))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where state = 'pending';
create unique index webhook_deliveries_one_per_lane on webhook_deliveries (endpoint_id, lane) where state = 'sending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, id);

comment on index webhook_deliveries_one_per_lane is 'With four lanes: at most four deliveries of an endpoint are in flight, whatever the code does.';
comment on column webhook_deliveries.id is 'The same on every attempt: receivers tell repeats by it.';
comment on column webhook_deliveries.fence is 'Raised by every claim; an outcome with an older fence changes nothing.';
comment on column webhook_deliveries.attempts is 'How often it was sent, or may have been.';
comment on column webhook_deliveries.tries is 'Its place in the retry plan: failures since it was queued or asked for again.';

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id),
  n integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  error text,
  answer text,
  primary key (delivery_id, n)
);

comment on column webhook_attempts.error is 'Why it failed, in a word of ours; null for a success.';
comment on column webhook_attempts.answer is 'The first 2 KiB of what the receiver said.';

-- The job of one lane. A lane has at most one; the key lets a planned one be pulled forward.
create function lane_job(endpoint text, lane integer, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row('webhooks/deliver', json_build_object('endpoint_id', endpoint, 'lane', lane), null, run_at, null,
    format('webhook:%s:%s', endpoint, lane), null, null)::graphile_worker.job_spec
$$;

-- Starts one more lane of each endpoint that may have one: four while it answers, one while it fails. The caller holds their rows.
create function start_lanes(endpoints text[]) returns void
language plpgsql as $$
declare
  jobs graphile_worker.job_spec[];
begin
  with free as (
    select e.id, n.lane
    from webhook_endpoints e
    cross join lateral (
      select lane
      from generate_series(0, case when e.failing_since is null then 3 else 0 end) as lane
      where e.lanes & (1 << lane) = 0
      order by lane
      limit 1
    ) n
    where e.id = any(endpoints)
  ), started as (
    update webhook_endpoints e
    set lanes = e.lanes | (1 << f.lane)
    from free f
    where e.id = f.id
    returning e.id, f.lane
  )
  select array_agg(lane_job(s.id, s.lane, null)) into jobs from started s;
  if jobs is not null then
    perform graphile_worker.add_jobs(jobs);
  end if;
end $$;

-- Queues an event for every active endpoint of its app that subscribed to its very name or to all. Returns how many.
create function fan_out(event events) returns integer
language plpgsql as $$
declare
  reached text[];
begin
  with matching as materialized (
    select e.id
    from webhook_endpoints e
    where e.app = event.app and e.active and e.events && array[event.type, '*']
    order by e.id
    for no key update
  ), queued as (
    insert into webhook_deliveries (id, app, endpoint_id, event_id)
    select sortable_id('whd'), event.app, m.id, event.id
    from matching m
    returning endpoint_id
  )
  select array_agg(q.endpoint_id) into reached from queued q;
  if reached is null then
    return 0;
  end if;
  perform start_lanes(reached);
  return cardinality(reached);
end $$;

-- Says that something happened: writes the event and queues its deliveries, in the caller's transaction. Returns how many
-- deliveries were queued. For other capabilities to call last in the statement that makes it true.
create function emit_event(of_app text, of_type text, about jsonb) returns integer
language sql as $$
  select fan_out(record_event(of_app, of_type, about))
$$;
