-- Cancels deliveries that wait for an endpoint, at most `most`, those that are due first. Skips those that another transaction holds. Returns how
-- many. The endpoint receives nothing meanwhile: its owner is disabled, or it is inactive and the caller holds it.
create or replace function cancel_waiting(endpoint text, most integer) returns integer
language sql as $$
  with waiting as materialized (
    select p.id
    from webhook_deliveries p
    where p.endpoint_id = endpoint and p.state = 'pending'
    order by p.due_at
    limit most
    for update skip locked
  ), cancelled as (
    update webhook_deliveries d
    set state = 'cancelled', ended_at = now()
    where d.id = any (array(select w.id from waiting w))
    returning 1
  )
  select count(*)::integer from cancelled
$$;
