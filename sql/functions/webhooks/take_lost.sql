-- Takes again the delivery that this lane held when its worker died, and records that attempt as lost, with a duration of 24 days at
-- most; none where the time was set back since. Null if it held none.
create or replace function take_lost(endpoint text, into_lane integer) returns jsonb
language plpgsql as $$
declare
  held record;
begin
  select d.id, d.attempts, d.taken_at into held
  from webhook_deliveries d
  where d.endpoint_id = endpoint and d.lane = into_lane and d.state = 'sending'
  for update skip locked;
  if not found then
    return null;
  end if;
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms, error)
  values (held.id, held.attempts, held.taken_at,
    least(greatest(extract(epoch from now() - held.taken_at), 0) * 1000, 2147483647), 'lost');
  return take_delivery(held.id, into_lane);
end $$;
