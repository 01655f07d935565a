-- Queues one event for one endpoint only: to try whether it answers. Null: the app has no such endpoint, or it is inactive.
create function test_endpoint(of_app text, endpoint text) returns text
language plpgsql as $$
declare
  event events;
  delivery text := sortable_id('whd');
begin
  perform from webhook_endpoints e where e.id = endpoint and e.app = of_app and e.active;
  if not found then
    return null;
  end if;
  event := record_event(of_app, 'webhook.test', jsonb_build_object('endpoint_id', endpoint));
  insert into webhook_deliveries (id, app, endpoint_id, event_id) values (delivery, of_app, endpoint, event.id);
  perform rouse_endpoint(endpoint);
  return delivery;
end $$;

-- Asks for a delivery once more, under its id and from the start of the plan; one that waits is pulled forward, one under way is left
-- to itself. Verdicts: queued | unknown | inactive.
create function redeliver(of_app text, delivery text) returns text
language plpgsql as $$
declare
  target record;
begin
  select e.id, e.active into target
  from webhook_deliveries d
  join webhook_endpoints e on e.id = d.endpoint_id
  where d.id = delivery and d.app = of_app;
  if not found then
    return 'unknown';
  end if;
  if not target.active then
    return 'inactive';
  end if;
  update webhook_deliveries d
  set state = 'pending', tries = 0, due_at = now(), ended_at = null
  where d.id = delivery and d.state <> 'sending';
  perform rouse_endpoint(target.id);
  return 'queued';
end $$;

-- Queues again what an endpoint missed since a time: deliveries that failed or were cancelled, and events of its subscription that came
-- while it was inactive. Oldest first, at most `most`, spread over time by `per_second`, and once in `pause_s` only: a receiver that has
-- just come back must not be knocked over. Verdicts: queued | unknown | inactive | too_soon.
create function recover_endpoint(
  of_app text, endpoint text, since timestamptz, most integer, per_second integer, pause_s integer
) returns table (verdict text, queued integer)
language plpgsql as $$
declare
  target webhook_endpoints;
begin
  select * into target from webhook_endpoints e where e.id = endpoint and e.app = of_app for no key update;
  queued := 0;
  verdict := case
    when target.id is null then 'unknown'
    when not target.active then 'inactive'
    when target.recovered_at > now() - make_interval(secs => pause_s) then 'too_soon'
    else 'queued'
  end;
  if verdict <> 'queued' then
    return next;
    return;
  end if;
  update webhook_endpoints e set recovered_at = now() where e.id = endpoint;

  with missed as (
    select v.id, row_number() over (order by v.position) as n
    from events v
    left join webhook_deliveries d on d.event_id = v.id and d.endpoint_id = endpoint
    where v.app = of_app
      and v.created_at >= since
      and case when d.id is not null
        then d.state in ('failed', 'cancelled')
        else v.created_at >= target.created_at and v.type <> 'webhook.test' and target.events && array[v.type, '*']
      end
    order by v.position
    limit most
  ), planned as (
    insert into webhook_deliveries as d (id, app, endpoint_id, event_id, due_at)
    select sortable_id('whd'), of_app, endpoint, m.id, now() + make_interval(secs => (m.n - 1) / per_second)
    from missed m
    on conflict (endpoint_id, event_id) do update
    set state = 'pending', tries = 0, due_at = excluded.due_at, ended_at = null
    where d.state in ('failed', 'cancelled')
    returning d.id
  )
  select count(*) into queued from planned;
  perform rouse_endpoint(endpoint);
  return next;
end $$;

-- A net under everything else: gives every lane without a job a new one, and starts endpoints that have something due and no lane.
-- Returns how many endpoints there were; normally 0.
create function requeue_stranded_lanes() returns integer
language plpgsql as $$
declare
  stranded record;
  found_some integer := 0;
begin
  for stranded in
    select e.id, e.lanes
    from webhook_endpoints e
    where e.lanes <> 0 or exists (
      select
      from webhook_deliveries d
      where d.endpoint_id = e.id and d.state = 'pending' and d.due_at < now() - interval '1 minute'
    )
    order by e.id
    for no key update skip locked
  loop
    continue when exists (
      select
      from graphile_worker._private_jobs j
      where j.payload ->> 'endpoint_id' = stranded.id and j.attempts < j.max_attempts
    ) or exists (
      select
      from webhook_deliveries d
      where d.endpoint_id = stranded.id and d.state = 'sending' and d.taken_at > now() - interval '1 minute'
    );
    found_some := found_some + 1;
    if stranded.lanes = 0 then
      perform rouse_endpoint(stranded.id);
    else
      perform graphile_worker.add_jobs(array(
        select lane_job(stranded.id, n, null) from generate_series(0, 3) as n where stranded.lanes & (1 << n) <> 0));
    end if;
  end loop;
  return found_some;
end $$;
