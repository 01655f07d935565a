-- Requests a delivery again, with its id and from the start of the retry plan. A waiting one becomes due now; one that is being sent is due again if
-- that attempt fails (retry_step -1). Verdicts: queued | unknown | inactive. Locks the delivery, then the endpoint, as recover_endpoint does; of a
-- delivery that is being sent only the former, since its lane may end under the lock on the endpoint.
create or replace function redeliver(of_owner text, delivery text) returns text
language plpgsql as $$
declare
  held record;
begin
  select d.endpoint_id, d.state = 'sending' as is_sending into held
  from webhook_deliveries d
  where d.id = delivery and d.owner = of_owner
  for no key update;
  if not found then
    return 'unknown';
  end if;
  if held.is_sending then
    update webhook_deliveries d
    set retry_step = -1
    from webhook_endpoints e
    where d.id = delivery and e.id = d.endpoint_id and e.active;
    return case when found then 'queued' else 'inactive' end;
  end if;
  perform from webhook_endpoints e where e.id = held.endpoint_id and e.active for no key update;
  if not found then
    return 'inactive';
  end if;
  update webhook_deliveries d
  set state = 'pending', retry_step = 0, due_at = now(), ended_at = null
  where d.id = delivery;
  perform dispatch_due_deliveries(held.endpoint_id);
  return 'queued';
end $$;
