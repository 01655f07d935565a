-- Sends what waited while an app or a partner was disabled: its deliveries, and the mails in its name. The five days of a failing endpoint begin
-- again, since nothing was sent to it meanwhile. Call it after the statement that enables the owner. Locks its endpoints, then its deliveries and
-- mails.
create or replace function resume_sending(of_owner text) returns void
language plpgsql as $$
declare
  endpoints text[];
begin
  select array_agg(e.id order by e.id) into endpoints
  from (select w.id from webhook_endpoints w where w.owner = of_owner and w.active order by w.id for no key update) e;
  update webhook_endpoints e set failing_since = null where e.id = any(endpoints) and e.failing_since is not null;
  -- A worker died while it sent these, and their lane ended in the meantime.
  update webhook_deliveries d
  set state = 'pending', lane = null
  from webhook_endpoints e
  where e.id = d.endpoint_id and e.owner = of_owner and d.state = 'sending' and e.lanes & (1 << d.lane) = 0;
  perform dispatch_due_deliveries(e) from unnest(endpoints) e;
  perform enqueue(array(select mail_job(m.id, null) from mails m where m.tenant = of_owner and m.state = 'queued'));
end $$;
