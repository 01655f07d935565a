-- Removes an intent from its lane and queues the next ones. Does nothing for an intent that is not open in the lane. Locks the lane: for its head by
-- the update, which spares the log a record.
create or replace function leave_lane(lane_name text, leaver uuid) returns void
language plpgsql as $$
begin
  if lane_name is null then
    return;
  end if;
  update lanes set head = null where name = lane_name and head = leaver;
  if found then
    if exists (select from intents i where i.lane = lane_name and i.phase = 'pending' and i.id is distinct from leaver) then
      perform advance_lane(lane_name, leaver);
    end if;
    return;
  end if;
  perform from lanes where name = lane_name for update;
  if found then
    perform advance_lane(lane_name, leaver);
  end if;
end $$;
