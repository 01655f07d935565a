-- Assigns a delivery to a lane and raises its fence. Null: the delivery cannot be taken.
create or replace function take_delivery(delivery text, into_lane integer) returns jsonb
language sql as $$
  with taken as (
    update webhook_deliveries d
    set state = 'sending', lane = into_lane, fence = d.fence + 1, attempts = d.attempts + 1, taken_at = now(),
      retry_step = greatest(d.retry_step, 0)
    where d.id = delivery
    returning d.id, d.fence, d.retry_step, d.endpoint_id, d.event_id
  )
  select jsonb_build_object('delivery_id', t.id, 'fence', t.fence, 'retry_step', t.retry_step, 'url', e.url, 'event_type', v.type,
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
