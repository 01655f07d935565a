-- Takes the due delivery of an endpoint that has waited longest. Null if none is due.
create or replace function take_due(endpoint text, into_lane integer) returns jsonb
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
