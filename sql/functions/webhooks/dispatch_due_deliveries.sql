-- Starts as many lanes as there are due deliveries, up to the endpoint's limit. If nothing is due, plans the next dispatch. While the owner is
-- disabled, none is started (start_lanes): resume_sending makes up for it. Locks the endpoint. The planned dispatch, which may be the caller, loses
-- its key, for the reason that end_lane gives.
create or replace function dispatch_due_deliveries(endpoint text) returns void
language plpgsql as $$
declare
  due integer;
  busy integer;
begin
  select e.lanes into busy from webhook_endpoints e where e.id = endpoint and e.active for no key update;
  if not found then
    return;
  end if;
  perform graphile_worker.remove_job(webhook_job_key(endpoint, 'dispatch'));
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
    perform plan_dispatch(endpoint);
  end if;
end $$;
