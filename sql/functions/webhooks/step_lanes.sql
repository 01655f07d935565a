-- One step of each of these lanes: ends its attempt, if any, and takes the next delivery. Verdicts:
-- send (held is what to send) | idle (the lane has ended) | again (another transaction holds the endpoint; step again shortly) | separated (a
-- new job of this lane does the rest) | lost (another worker has this lane).
-- A lane ends under the lock on its endpoint, and lanes start under it, so no due delivery stays without a lane or a planned dispatch. It
-- never waits for that lock, so it cannot be part of a deadlock. While the owner is disabled, it takes no delivery. Item: n, endpoint_id, lane,
-- said?, parting?
create or replace function step_lanes(batch jsonb) returns table (n integer, verdict text, held jsonb)
language plpgsql as $$
declare
  ended integer[] := end_attempts(batch);
  item record;
begin
  for item in
    select i.n, i.endpoint_id, i.lane, i.parting, i.said is not null and i.n <> all(ended) as is_lost, t.delivery
    from jsonb_to_recordset(batch) as i (n integer, endpoint_id text, lane integer, said jsonb, parting boolean)
    left join take_deliveries(batch, ended) t on t.n = i.n
    order by i.endpoint_id, i.lane
  loop
    n := item.n;
    held := item.delivery;
    verdict := case
      when item.is_lost then 'lost'
      when item.parting then 'separated'
      when held is not null then 'send'
      else end_lane(item.endpoint_id, item.lane)
    end;
    if verdict = 'separated' then
      perform enqueue(array[lane_job(item.endpoint_id, item.lane, now())]);
    elsif verdict = 'due' then
      select t.delivery into held
      from take_deliveries(jsonb_build_array(jsonb_build_object('n', n, 'endpoint_id', item.endpoint_id, 'lane', item.lane)), '{}') t;
      verdict := case when held is not null then 'send' else 'again' end;
    end if;
    return next;
  end loop;
end $$;
