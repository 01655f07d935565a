create or replace view ops.dead_deliveries as
select d.delivery_id, d.app_id, d.endpoint_id, d.endpoint_active, d.url, d.event_id, d.event_type, d.state, d.attempts, d.response_status, d.error,
  d.ended_at
from ops.deliveries d
where d.state in ('failed', 'cancelled')
order by d.delivery_id desc;
comment on view ops.dead_deliveries is
  'Failed and cancelled deliveries, newest first. select ops.retry_delivery(id, who, why), or all of an endpoint: '
  'ops.retry_deliveries_of(endpoint, who, why).';
