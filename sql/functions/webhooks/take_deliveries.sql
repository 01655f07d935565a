-- Takes a delivery for each of these steps of lanes, except those that are parting or have lost their claim (`held`: the n of all others): for a new
-- lane the delivery that it held when its worker died, whose attempt is recorded as lost (with a duration of at most 24 days, none if the clock was
-- set back since); else the due delivery of its endpoint that has waited longest. None for an endpoint that is inactive, that fails and has a lower
-- lane, or whose owner is disabled. Item: n, endpoint_id, lane, said?, parting?. Due ones are found in the order of their index, however many wait.
create or replace function take_deliveries(batch jsonb, held integer[]) returns table (n integer, delivery jsonb)
language sql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
  with stepping as (
    select i.n, i.endpoint_id, i.lane, i.said is null as begins, e.is_over_share
    from jsonb_to_recordset(batch) as i (n integer, endpoint_id text, lane integer, said jsonb, parting boolean)
    cross join lateral (
      select w.failing_since is not null and w.lanes & ((1 << i.lane) - 1) <> 0 as is_over_share
      from webhook_endpoints w
      where w.id = i.endpoint_id and w.active and not is_disabled(w.owner)
      limit 1
    ) e
    where i.parting is not true and (i.said is null or i.n = any(held))
  ), lost as (
    select s.n, s.lane, d.id, d.attempts, d.taken_at
    from stepping s
    cross join lateral (
      select p.id, p.attempts, p.taken_at
      from webhook_deliveries p
      where p.endpoint_id = s.endpoint_id and p.lane = s.lane and p.state = 'sending'
      limit 1
      for update skip locked
    ) d
    where s.begins
  ), noted as (
    insert into webhook_attempts (delivery_id, n, started_at, duration_ms, error)
    select l.id, l.attempts, l.taken_at, least(greatest(extract(epoch from now() - l.taken_at), 0) * 1000, 2147483647), 'lost'
    from lost l
  ), due as (
    select w.steps[d.k] as n, w.lanes[d.k] as lane, d.id
    from (
      select s.endpoint_id, array_agg(s.n order by s.lane) as steps, array_agg(s.lane order by s.lane) as lanes
      from stepping s
      where not s.is_over_share and not exists (select from lost l where l.n = s.n)
      group by s.endpoint_id
    ) w
    cross join lateral (
      select p.id, row_number() over (order by p.due_at) as k
      from (
        select q.id, q.due_at
        from webhook_deliveries q
        where q.endpoint_id = w.endpoint_id and q.state = 'pending' and q.due_at <= (select clock_timestamp())
        order by q.due_at
        limit cardinality(w.steps)
        for update skip locked
      ) p
    ) d
  ), taken as (
    update webhook_deliveries d
    set state = 'sending', lane = t.lane, fence = d.fence + 1, attempts = d.attempts + 1, taken_at = now(), retry_step = greatest(d.retry_step, 0)
    from (select l.n, l.lane, l.id from lost l union all select u.n, u.lane, u.id from due u) t
    where d.id = t.id
    returning t.n, d.id, d.fence, d.retry_step, d.endpoint_id, d.event_id
  )
  select t.n, jsonb_build_object('delivery_id', t.id, 'fence', t.fence, 'retry_step', t.retry_step, 'url', e.url, 'event_type', v.type,
    'body', event_body(v),
    'secrets', (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed, 'base64')) order by s.created_at desc, s.id desc)
      from webhook_secrets s
      where s.endpoint_id = t.endpoint_id and (s.expires_at is null or s.expires_at > now())
    ))
  from taken t
  join webhook_endpoints e on e.id = t.endpoint_id
  join events v on v.id = t.event_id
$$;
