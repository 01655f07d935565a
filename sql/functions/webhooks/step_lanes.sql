-- One step of a lane: ends its attempt, if any, and takes the next delivery. Verdicts:
-- send (held is what to send) | idle (the lane has ended) | again (another transaction holds the endpoint; step again shortly) | separated (a
-- new job of this lane does the rest) | lost (another worker has this lane).
-- A lane ends under the lock on its endpoint, and lanes start under it, so no due delivery stays without a lane or a planned dispatch. It
-- never waits for that lock, so it cannot be part of a deadlock. While the owner is disabled, it takes no delivery. Item: n, endpoint_id, lane,
-- said?, parting?
create or replace function step_lanes(batch jsonb) returns table (n integer, verdict text, held jsonb)
language plpgsql as $$
declare
  item record;
  endpoint record;
begin
  for item in
    select i.*
    from jsonb_to_recordset(batch) as i (n integer, endpoint_id text, lane integer, said jsonb, parting boolean)
    order by (select e.owner from webhook_endpoints e where e.id = i.endpoint_id), i.endpoint_id, i.lane -- as emit_ended locks them
  loop
    n := item.n;
    held := null;
    if item.said is not null and not end_attempt(item.endpoint_id, item.said) then
      verdict := 'lost';
      return next;
      continue;
    end if;
    if item.parting then
      perform enqueue(array[lane_job(item.endpoint_id, item.lane, now())]);
      verdict := 'separated';
      return next;
      continue;
    end if;

    select e.active and not is_disabled(e.owner) as receives,
      e.failing_since is not null and e.lanes & ((1 << item.lane) - 1) <> 0 as is_over_share into endpoint
    from webhook_endpoints e
    where e.id = item.endpoint_id;
    if endpoint.receives and item.said is null then
      held := take_lost(item.endpoint_id, item.lane);
    end if;
    if endpoint.receives and held is null and not endpoint.is_over_share then
      held := take_due(item.endpoint_id, item.lane);
    end if;
    verdict := case when held is not null then 'send' else end_lane(item.endpoint_id, item.lane) end;
    if verdict = 'due' then
      held := take_due(item.endpoint_id, item.lane);
      verdict := case when held is not null then 'send' else 'again' end;
    end if;
    return next;
  end loop;
end $$;
