-- The consequences for its endpoint of an attempt that end_attempts has recorded: it begins or ceases to fail, or is deactivated. Locks the
-- endpoint.
create or replace function note_ending(endpoint text, said jsonb) returns void
language plpgsql as $$
declare
  ending text := said ->> 'ending';
  went_well boolean := ending = 'delivered';
begin
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
      update webhook_deliveries d set state = 'pending', due_at = now(), ended_at = null where d.id = said ->> 'delivery_id';
    end if;
  elsif not went_well then
    perform deactivate_endpoint(e.id, 'failing')
    from webhook_endpoints e
    where e.id = endpoint and e.failing_since <= now() - interval '5 days';
  end if;
end $$;
