-- Deactivates an endpoint and cancels its waiting deliveries: 1,000 at once, since other endpoints' steps share the statement, the rest by
-- cancel_unreceived. Those that another transaction holds are cancelled by their lane. If the service decided, and not the owner, a mail notifies the
-- contact of the app or partner. False: it was inactive. Locks the endpoint, then its deliveries.
create or replace function deactivate_endpoint(endpoint text, because text) returns boolean
language plpgsql as $$
declare
  stopped record;
begin
  update webhook_endpoints e
  set active = false, deactivated_because = because, updated_at = now()
  where e.id = endpoint and e.active
  returning e.owner, e.url into stopped;
  if not found then
    return false;
  end if;
  perform cancel_waiting(endpoint, 1000);
  if because <> 'asked' then
    perform post_mail(gen_random_uuid(), 'webhook_deactivated', a.contact_email,
      jsonb_build_object('app', a.name, 'url', stopped.url, 'because', because), null, 604800,
      in_name_of => stopped.owner)
    from (
      select name, contact_email from apps where id = stopped.owner
      union all
      select name, contact_email from partners where id = stopped.owner
    ) a
    where a.contact_email is not null;
  end if;
  return true;
end $$;
