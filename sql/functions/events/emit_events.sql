-- Writes events of one type and queues their deliveries in the caller's transaction. Returns the number of deliveries.
create or replace function emit_events(of_owner text, of_type text, payloads jsonb[]) returns integer
language plpgsql as $$
declare
  queued integer := 0;
begin
  if exists (select from webhook_endpoints e where e.owner = of_owner and e.active) then
    select coalesce(sum(fan_out(v)), 0) into queued from record_events(of_owner, of_type, payloads) v;
  else
    perform record_events(of_owner, of_type, payloads);
  end if;
  return queued;
end $$;
