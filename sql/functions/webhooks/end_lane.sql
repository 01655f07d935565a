-- Ends a lane under the lock on its endpoint. Verdicts: idle | again (another transaction holds the lock) | due (a delivery became due). The lane's
-- job, which is being executed, loses its key: else starting the lane again would lock that job's row, and the queue deletes the rows of finished
-- jobs many at a time, in the order in which they ended, so that the two could deadlock.
create or replace function end_lane(endpoint text, of_lane integer) returns text
language plpgsql as $$
declare
  ending record;
begin
  select e.active, is_disabled(e.owner) as is_disabled, e.lanes & ~(1 << of_lane) as others,
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
    where d.endpoint_id = endpoint and d.state = 'sending' and d.lane = of_lane;
    perform cancel_waiting(endpoint, 1000);
  elsif not ending.is_over_share and not ending.is_disabled and exists (
    select
    from webhook_deliveries d
    where d.endpoint_id = endpoint and d.state = 'pending' and d.due_at <= (select clock_timestamp())
  ) then
    return 'due';
  end if;
  update webhook_endpoints e set lanes = ending.others where e.id = endpoint;
  perform graphile_worker.remove_job(webhook_job_key(endpoint, of_lane::text));
  perform plan_dispatch(endpoint);
  return 'idle';
end $$;
