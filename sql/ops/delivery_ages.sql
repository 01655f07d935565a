create or replace view ops.delivery_ages as
select s.state, count(*)::integer as count, extract(epoch from now() - min(s.since))::double precision as oldest_s
from (
  (
    select d.state, d.created_at as since
    from webhook_deliveries d
    where d.state = 'pending'
    order by d.endpoint_id, d.due_at
    limit 100000
  )
  union all
  select d.state, d.created_at
  from webhook_deliveries d
  where d.state = 'sending'
  union all (
    select 'failed', d.ended_at
    from webhook_deliveries d
    where d.state = 'failed'
    order by d.ended_at
    limit 100000
  )
  union all (
    select 'cancelled', d.ended_at
    from webhook_deliveries d
    where d.state = 'cancelled'
    order by d.id
    limit 100000
  )
) s
group by s.state
order by s.state;
comment on view ops.delivery_ages is
  'Undelivered webhooks by state, with the age of the oldest in seconds: since it was queued, or since it failed. Of those that '
  'wait, of those that failed, and of those that were cancelled, 100,000 are counted at most.';
