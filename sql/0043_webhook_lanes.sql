-- Plans the look at an endpoint's next retry. Of many plans the last one counts, and it is made under the lock on the endpoint.
create function plan_wake(endpoint text) returns void
language plpgsql as $$
declare
  due timestamptz;
begin
  select min(d.due_at) into due from webhook_deliveries d where d.endpoint_id = endpoint and d.state = 'pending';
  if due is not null then
    perform graphile_worker.add_jobs(array[row('webhooks/wake', json_build_object('endpoint_id', endpoint), null, due, null,
      format('webhook:%s:wake', endpoint), null, null)::graphile_worker.job_spec]);
  end if;
end $$;

-- Starts as many lanes as there are due deliveries, as far as the endpoint may have them; with nothing due, plans the next look.
create function rouse_endpoint(endpoint text) returns void
language plpgsql as $$
declare
  due integer;
  busy integer;
begin
  select e.lanes into busy from webhook_endpoints e where e.id = endpoint and e.active for no key update;
  if not found then
    return;
  end if;
  select count(*) into due
  from (
    select
    from webhook_deliveries d
    where d.endpoint_id = endpoint and d.state = 'pending' and d.due_at <= (select clock_timestamp())
    limit 4
  ) d;
  for _ in 1..due loop
    perform start_lanes(array[endpoint]);
  end loop;
  if due = 0 and busy = 0 then
    perform plan_wake(endpoint);
  end if;
end $$;

-- Stops an endpoint. What waits for it is cancelled; what another transaction holds just now, its lane cancels. Where the service and not
-- the app decided, the app's contact is told. False: it was inactive.
create function deactivate_endpoint(endpoint text, because text) returns boolean
language plpgsql as $$
declare
  stopped record;
begin
  update webhook_endpoints e
  set active = false, deactivated_because = because, updated_at = now()
  where e.id = endpoint and e.active
  returning e.app, e.url into stopped;
  if not found then
    return false;
  end if;
  update webhook_deliveries d
  set state = 'cancelled', ended_at = now()
  where d.id in (
    select p.id
    from webhook_deliveries p
    where p.endpoint_id = endpoint and p.state = 'pending'
    for update skip locked
  );
  if because <> 'asked' then
    perform post_mail(gen_random_uuid(), 'webhook_deactivated', a.contact_email,
      jsonb_build_object('app', a.name, 'url', stopped.url, 'because', because), null, 604800)
    from apps a
    where a.id = stopped.app and a.contact_email is not null;
  end if;
  return true;
end $$;

-- Records one attempt and what it means for its delivery and its endpoint. False: the claim was lost, and nothing is written.
-- said: delivery_id, fence, ending (delivered | retry | failed | gone), retry_in_s?, duration_ms, status?, error?, answer?
create function end_attempt(endpoint text, said jsonb) returns boolean
language plpgsql as $$
declare
  ending text := said ->> 'ending';
  went_well boolean := ending = 'delivered';
  ended record;
  changed record;
begin
  update webhook_deliveries d
  set state = case ending when 'delivered' then 'delivered' when 'retry' then 'pending' else 'failed' end,
    lane = null,
    tries = d.tries + 1,
    due_at = case when ending = 'retry' then now() + make_interval(secs => (said ->> 'retry_in_s')::double precision) else d.due_at end,
    response_status = (said ->> 'status')::integer,
    error = said ->> 'error',
    ended_at = case when ending <> 'retry' then now() end
  where d.id = said ->> 'delivery_id' and d.fence = (said ->> 'fence')::integer and d.state = 'sending'
  returning d.id, d.attempts into ended;
  if not found then
    return false;
  end if;
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms, response_status, error, answer)
  values (ended.id, ended.attempts, clock_timestamp() - make_interval(secs => (said ->> 'duration_ms')::double precision / 1000),
    (said ->> 'duration_ms')::integer, (said ->> 'status')::integer, said ->> 'error', said ->> 'answer');

  update webhook_endpoints e
  set failing_since = case when not went_well then now() end
  where e.id = endpoint and (e.failing_since is null) <> went_well;
  if found and went_well then
    perform rouse_endpoint(endpoint);
  end if;
  if ending = 'gone' then
    perform deactivate_endpoint(endpoint, 'gone');
  elsif not went_well then
    perform deactivate_endpoint(e.id, 'failing')
    from webhook_endpoints e
    where e.id = endpoint and e.active and e.failing_since <= now() - interval '5 days';
  end if;
  return true;
end $$;

-- Takes a delivery into a lane and raises its fence. Null: there is no such delivery to be taken.
create function take_delivery(delivery text, into_lane integer) returns jsonb
language sql as $$
  with taken as (
    update webhook_deliveries d
    set state = 'sending', lane = into_lane, fence = d.fence + 1, attempts = d.attempts + 1, taken_at = now()
    where d.id = delivery
    returning d.id, d.fence, d.tries, d.endpoint_id, d.event_id
  )
  select jsonb_build_object('delivery_id', t.id, 'fence', t.fence, 'tries', t.tries, 'url', e.url, 'event_type', v.type, 'body', v.body,
    'secrets', (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed, 'base64')) order by s.created_at desc, s.id desc)
      from webhook_secrets s
      where s.endpoint_id = t.endpoint_id and (s.expires_at is null or s.expires_at > now())
    ))
  from taken t
  join webhook_endpoints e on e.id = t.endpoint_id
  join events v on v.id = t.event_id
$$;

-- Takes the due delivery of an endpoint that has waited longest; null where none is due.
create function take_due(endpoint text, into_lane integer) returns jsonb
language sql as $$
  select take_delivery(d.id, into_lane)
  from (
    select p.id
    from webhook_deliveries p
    where p.endpoint_id = endpoint and p.state = 'pending' and p.due_at <= (select clock_timestamp())
    order by p.due_at
    limit 1
    for update skip locked
  ) d
$$;

-- Takes again what this lane held when its worker died, with that attempt on record as lost; null where it held nothing.
create function take_lost(endpoint text, into_lane integer) returns jsonb
language plpgsql as $$
declare
  held record;
begin
  select d.id, d.attempts, d.taken_at into held
  from webhook_deliveries d
  where d.endpoint_id = endpoint and d.lane = into_lane and d.state = 'sending'
  for update skip locked;
  if not found then
    return null;
  end if;
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms, error)
  values (held.id, held.attempts, held.taken_at, extract(epoch from now() - held.taken_at) * 1000, 'lost');
  return take_delivery(held.id, into_lane);
end $$;

-- One step of a lane: ends the attempt it made, if any, and takes what comes next. Verdicts:
-- send (held is what to send) | idle (the lane is over) | again (somebody else is at work; look again in a moment)
-- | parted (the rest is for a new job of this lane) | lost (another worker has this lane).
-- A lane that ends holds the lock on its endpoint, as whoever starts one does: no delivery is left without a lane or a wake.
-- It never waits for that lock, so it cannot be part of a deadlock. Item: n, endpoint_id, lane, said?, parting?
create function step_lanes(batch jsonb) returns table (n integer, verdict text, held jsonb)
language plpgsql as $$
declare
  item record;
  endpoint record;
begin
  for item in
    select i.*
    from jsonb_to_recordset(batch) as i (n integer, endpoint_id text, lane integer, said jsonb, parting boolean)
    order by i.endpoint_id, i.lane
  loop
    n := item.n;
    held := null;
    if item.said is not null and not end_attempt(item.endpoint_id, item.said) then
      verdict := 'lost';
      return next;
      continue;
    end if;
    if item.parting then
      perform graphile_worker.add_jobs(array[lane_job(item.endpoint_id, item.lane, null)]);
      verdict := 'parted';
      return next;
      continue;
    end if;

    select e.active, e.failing_since is not null and e.lanes & ((1 << item.lane) - 1) <> 0 as is_over_share into endpoint
    from webhook_endpoints e
    where e.id = item.endpoint_id;
    if endpoint.active and item.said is null then
      held := take_lost(item.endpoint_id, item.lane);
    end if;
    if endpoint.active and held is null and not endpoint.is_over_share then
      held := take_due(item.endpoint_id, item.lane);
    end if;
    verdict := case when held is not null then 'send' else end_lane(item.endpoint_id, item.lane) end;
    if verdict = 'due' then
      held := take_due(item.endpoint_id, item.lane);
      verdict := case when held is not null then 'send' else 'again' end;
    end if;
    return next;
  end loop;
end $$;

-- Ends a lane under the lock on its endpoint: idle | again (the lock is taken) | due (something came meanwhile).
create function end_lane(endpoint text, of_lane integer) returns text
language plpgsql as $$
declare
  ending record;
begin
  select e.active, e.lanes & ~(1 << of_lane) as others,
    e.failing_since is not null and e.lanes & ((1 << of_lane) - 1) <> 0 as is_over_share
  into ending
  from webhook_endpoints e
  where e.id = endpoint
  for no key update skip locked;
  if not found then
    return 'again';
  end if;
  if not ending.active then
    update webhook_deliveries d
    set state = 'cancelled', lane = null, ended_at = now()
    where d.endpoint_id = endpoint and (d.state = 'pending' or d.state = 'sending' and d.lane = of_lane);
  elsif not ending.is_over_share and exists (
    select
    from webhook_deliveries d
    where d.endpoint_id = endpoint and d.state = 'pending' and d.due_at <= (select clock_timestamp())
  ) then
    return 'due';
  end if;
  update webhook_endpoints e set lanes = ending.others where e.id = endpoint;
  perform plan_wake(endpoint);
  return 'idle';
end $$;

-- Plans the next job of a lane whose attempt goes on without a job: should its worker die, that job takes over.
create function watch_lane(endpoint text, of_lane integer, delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_jobs(array[lane_job(endpoint, of_lane, now() + make_interval(secs => delay_s))])
$$;
