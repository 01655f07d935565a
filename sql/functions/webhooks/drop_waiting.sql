-- Ends unsent what waits for an owner, at most `most` mails and as many deliveries to each endpoint. Mails come first, because the end of a
-- mail is an event with deliveries. Returns the number of rows. Locks them, and skips deliveries that another transaction holds.
create or replace function drop_waiting(of_owner text, most integer) returns integer
language plpgsql as $$
declare
  endpoint text;
  dropped integer;
begin
  select count(end_mail(m.id, 'expired', 'app_disabled')) into dropped
  from (select w.id from mails w where w.tenant = of_owner and w.state = 'queued' limit most) m;
  for endpoint in select e.id from webhook_endpoints e where e.owner = of_owner order by e.id loop
    dropped := dropped + cancel_waiting(endpoint, most);
  end loop;
  return dropped;
end $$;
