-- Queues an event for every active endpoint of its owner that subscribed to its name or to all events. Returns how many. The deliveries of
-- an owner that is disabled wait, see resume_sending.
create or replace function fan_out(event events) returns integer
language plpgsql as $$
declare
  reached text[];
begin
  with matching as materialized (
    select e.id
    from webhook_endpoints e
    where e.owner = event.owner and e.active and e.events && array[event.type, '*']
    order by e.id
    for no key update
  ), queued as (
    insert into webhook_deliveries (id, owner, endpoint_id, event_id)
    select sortable_id('whd'), event.owner, m.id, event.id
    from matching m
    returning endpoint_id
  )
  select array_agg(q.endpoint_id) into reached from queued q;
  if reached is null then
    return 0;
  end if;
  perform start_lanes(reached);
  return cardinality(reached);
end $$;
