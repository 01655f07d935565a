create or replace view ops.deliveries as
select d.id as delivery_id, d.owner as app_id, d.endpoint_id, regexp_replace(split_part(split_part(e.url, '?', 1), '#', 1), '//[^/@]*@', '//') as url,
  e.active as endpoint_active, d.event_id, v.type as event_type, d.state, d.attempts, d.response_status, d.error, d.due_at, d.ended_at
from webhook_deliveries d
join webhook_endpoints e on e.id = d.endpoint_id
join events v on v.id = d.event_id;
comment on view ops.deliveries is 'All webhook deliveries, without bodies. URLs are shown without credentials and query.';
