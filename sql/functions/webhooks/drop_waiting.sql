-- Ends unsent what waits for an owner, at most `most` mails and as many deliveries to each endpoint. Mails come first, because the end of a mail
-- is an event with deliveries. Returns the number of rows. Locks all of the mails before it ends one, as who ends one does: each end locks the event
-- log. Locks the deliveries, and skips those that another transaction holds.
create or replace function drop_waiting(of_owner text, most integer) returns integer
language plpgsql as $$
declare
  endpoint text;
  dropped integer;
begin
  select count(end_mail(m.id, 'expired', 'app_disabled')) into dropped
  from unnest(array(
    select w.id
    from mails w
    where w.tenant = of_owner and w.state = 'queued'
    order by w.id
    limit most
    for no key update
  )) as m (id);
  for endpoint in select e.id from webhook_endpoints e where e.owner = of_owner order by e.id loop
    dropped := dropped + cancel_waiting(endpoint, most);
  end loop;
  return dropped;
end $$;
