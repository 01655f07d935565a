-- Gives every intent of a lane whose turn it is a job: the first open one, and those behind it, in order, that may run alongside all that
-- have one. At most 8 have one at a time, so that one trader does not take all of a worker's slots. Where owners have turns of their own (turns_of),
-- all this is about those of `of_owner`, by default the leaver's. Sets the head, unless it is still open. The caller holds the lane's lock. `leaver`
-- has left the lane.
create or replace function advance_lane(lane_name text, leaver uuid, of_owner text default null) returns void
language plpgsql as $$
declare
  front uuid := (select l.head from lanes l where l.name = lane_name and l.head is distinct from leaver);
  turns text := turns_of(lane_name, coalesce(of_owner, (select i.owner from intents i where i.id = leaver)));
  beside text[];
  member record;
begin
  if front is not null then
    front := (select i.id from intents i where i.id = front and i.settled_at is null and i.state <> 'in_doubt'); -- by its id: see settle_intent
  end if;
  select coalesce(array_agg(i.alongside), '{}') into beside
  from intents i
  where i.lane = lane_name and i.has_turn and i.phase = 'pending' and i.id is distinct from leaver
    and i.id is distinct from front and (turns is null or i.owner = turns);
  if front is not null then
    beside := beside || array(select i.alongside from intents i where i.id = front and (turns is null or i.owner = turns));
  end if;
  for member in
    select i.id, i.kind, i.is_exit, i.alongside, i.has_turn
    from intents i
    where i.lane = lane_name and i.phase = 'pending' and i.id is distinct from leaver and (turns is null or i.owner = turns)
    order by i.position
    limit 8
  loop
    if member.has_turn or member.id = front then
      front := coalesce(front, member.id);
      continue;
    end if;
    exit when cardinality(beside) > 0 and not may_run_alongside(member.alongside, beside);
    if front is not null then
      update intents
      set has_turn = true
      where id = (select i.id from intents i where i.id = member.id for update skip locked); -- an operator holds it for a moment
      exit when not found;
    end if;
    front := coalesce(front, member.id);
    beside := beside || member.alongside;
    perform enqueue(array[job_for(member.kind, member.id, member.is_exit, null)]);
    exit when member.alongside is null or cardinality(beside) >= 8;
  end loop;
  if front is null and turns is not null then -- none of this owner is left: another one's is the head
    select i.id, i.kind, i.is_exit, i.has_turn into member
    from intents i
    where i.lane = lane_name and i.phase = 'pending' and i.id is distinct from leaver
    order by i.has_turn desc, i.position
    limit 1;
    if found and not member.has_turn then -- it was accepted while all owners had their turns together
      perform enqueue(array[job_for(member.kind, member.id, member.is_exit, null)]);
    end if;
    front := member.id;
  end if;
  update lanes set head = front where name = lane_name and head is distinct from front;
end $$;
