-- Requests a delivery again, with its id and from the start of the retry plan. A waiting one becomes due now; one that is being sent is due again
-- if that attempt fails (retry_step -1). Verdicts: queued | unknown | inactive. Locks the endpoint, then the delivery; only the latter of one that is
-- being sent, since who ends its attempt locks the endpoint after it.
create or replace function redeliver(of_owner text, delivery text) returns text
language plpgsql as $$
declare
  target record;
begin
  update webhook_deliveries d
  set retry_step = -1
  from webhook_endpoints e
  where d.id = delivery and d.owner = of_owner and d.state = 'sending' and e.id = d.endpoint_id and e.active;
  if found then
    return 'queued';
  end if;
  select e.id, e.active into target
  from webhook_deliveries d
  join webhook_endpoints e on e.id = d.endpoint_id
  where d.id = delivery and d.owner = of_owner
  for no key update of e;
  if not found then
    return 'unknown';
  end if;
  if not target.active then
    return 'inactive';
  end if;
  update webhook_deliveries d
  set state = 'pending', retry_step = 0, due_at = now(), ended_at = null
  where d.id = delivery and d.state <> 'sending';
  perform dispatch_due_deliveries(target.id);
  return 'queued';
end $$;
