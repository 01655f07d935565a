-- Removes an intent from its lane and queues the next one. Does nothing for an intent that is not the head. Locks the lane.
create or replace function leave_lane(lane_name text, leaver uuid) returns void
language plpgsql as $$
declare
  following record;
begin
  perform from lanes where name = lane_name and head = leaver for update;
  if not found then
    return;
  end if;
  select i.id, i.kind into following
  from intents i
  where i.lane = lane_name and i.state = 'queued' and i.id <> leaver
  order by i.position
  limit 1;
  update lanes set head = following.id where name = lane_name;
  if following.id is not null then
    perform graphile_worker.add_jobs(array[job_for(following.kind, following.id, null)]);
  end if;
end $$;
