-- Writes events of one type and queues their deliveries in the caller's transaction. Returns the number of deliveries. Endpoints are looked for once
-- the log is locked, which may wait for one that is being created.
create or replace function emit_events(of_owner text, of_type text, payloads jsonb[]) returns integer
language plpgsql as $$
declare
  recorded events[] := array(select v from record_events(of_owner, of_type, payloads) v);
begin
  if exists (select from webhook_endpoints e where e.owner = of_owner and e.active) then
    return (select coalesce(sum(fan_out(v)), 0) from unnest(recorded) v);
  end if;
  return 0;
end $$;
