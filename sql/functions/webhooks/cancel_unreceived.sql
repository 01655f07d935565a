-- Cancels deliveries that still wait for inactive endpoints, at most `most`: a receiver that was away for days leaves more than deactivate_endpoint
-- cancels in its one statement. Returns how many. Locks the endpoints, then their deliveries; skips endpoints that another transaction holds.
create or replace function cancel_unreceived(most integer) returns integer
language plpgsql as $$
declare
  inactive record;
  cancelled integer := 0;
begin
  for inactive in
    select e.id
    from webhook_endpoints e
    where not e.active and exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending')
    order by e.id
    for no key update skip locked
  loop
    cancelled := cancelled + cancel_waiting(inactive.id, most - cancelled);
    exit when cancelled >= most;
  end loop;
  return cancelled;
end $$;
