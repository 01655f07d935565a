-- Records one attempt and its consequences for the delivery and the endpoint. False: the claim was lost, and nothing is written.
-- said: delivery_id, fence, ending (delivered | retry | failed | gone), retry_in_s?, duration_ms, status?, error?, response?, url? (it was sent
-- to: what another address responds says nothing of the present one). Locks the delivery, then its endpoint if that begins or ceases to fail. It
-- finds the delivery by its id and its lane, which is set while it is being sent. `state = 'sending'` would imply the index of those rows; a plan
-- that was made while that index was empty reads all of it. If it was requested again meanwhile (retry_step -1) and fails, it is due at once.
create or replace function end_attempt(endpoint text, said jsonb) returns boolean
language plpgsql as $$
declare
  ending text := said ->> 'ending';
  went_well boolean := ending = 'delivered';
  ended record;
begin
  update webhook_deliveries d
  set state = case
      when ending = 'delivered' then 'delivered'
      when ending = 'retry' or ending = 'failed' and d.retry_step < 0 then 'pending'
      else 'failed'
    end,
    lane = null,
    retry_step = d.retry_step + 1,
    due_at = case
      when d.retry_step < 0 then now()
      when ending = 'retry' then now() + make_interval(secs => (said ->> 'retry_in_s')::double precision)
      else d.due_at
    end,
    response_status = (said ->> 'status')::integer,
    error = said ->> 'error',
    ended_at = case when ending <> 'retry' and (ending <> 'failed' or d.retry_step >= 0) then now() end
  where d.id = said ->> 'delivery_id' and d.fence = (said ->> 'fence')::integer and d.lane is not null
  returning d.id, d.attempts into ended;
  if not found then
    return false;
  end if;
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms, response_status, error, response)
  values (ended.id, ended.attempts, clock_timestamp() - make_interval(secs => (said ->> 'duration_ms')::double precision / 1000),
    (said ->> 'duration_ms')::integer, (said ->> 'status')::integer, said ->> 'error', said ->> 'response');

  update webhook_endpoints e
  set failing_since = case when not went_well then now() end
  where e.id = endpoint and e.url = coalesce(said ->> 'url', e.url) and (e.failing_since is null) <> went_well;
  if found and went_well then
    perform dispatch_due_deliveries(endpoint);
  end if;
  if ending = 'gone' then
    perform from webhook_endpoints e where e.id = endpoint and e.url = coalesce(said ->> 'url', e.url) for no key update;
    if found then
      perform deactivate_endpoint(endpoint, 'gone');
    else -- its owner has given it another address in the meantime
      update webhook_deliveries d set state = 'pending', due_at = now(), ended_at = null where d.id = ended.id;
    end if;
  elsif not went_well then
    perform deactivate_endpoint(e.id, 'failing')
    from webhook_endpoints e
    where e.id = endpoint and e.active and e.failing_since <= now() - interval '5 days';
  end if;
  return true;
end $$;
