-- Queues one event for a single endpoint, to test whether it responds. Null: the owner has no such endpoint, or it is inactive.
create or replace function test_endpoint(of_owner text, endpoint text) returns text
language plpgsql as $$
declare
  event events;
  delivery text := sortable_id('whd');
begin
  perform from webhook_endpoints e where e.id = endpoint and e.owner = of_owner and e.active;
  if not found then
    return null;
  end if;
  event := record_event(of_owner, 'webhook.test', jsonb_build_object('endpoint_id', endpoint));
  insert into webhook_deliveries (id, owner, endpoint_id, event_id) values (delivery, of_owner, endpoint, event.id);
  perform dispatch_due_deliveries(endpoint);
  return delivery;
end $$;
