-- Queues an intent again whose request provably never arrived because its worker ended before it left: within the deadline, at the head of its lane.
-- If the deadline passes before the next attempt, it ends with `said`. False, and nothing is written: the claim is lost, its worker lived, the
-- deadline has passed, the database was restored since, or a later intent of its lane (turns_of) was accepted, which may have been meant for a lane
-- without it. One that is `owed` had no effect, for whatever reason, and yields by itself to later ones when it is prepared: for it neither its
-- worker nor its lane counts. Locks the intent, then its lane.
create or replace function send_again(intent uuid, held_fence integer, said jsonb, owed boolean default false) returns boolean
language plpgsql as $$
declare
  held record;
  turns text;
begin
  select i.owner, i.lane, i.position, i.sending_at, i.upstream into held
  from intents i
  where i.id = intent and i.fence = held_fence and i.state = 'in_doubt' and (owed or i.sender_lost) and i.deadline_at > now()
    and not exists (select from recoveries r where r.recovered_at > i.created_at) -- it may have been sent again after the backup
  for update;
  if not found then
    return false;
  end if;
  perform from lanes where name = held.lane for update;
  turns := turns_of(held.lane, held.owner);
  if not owed and (
    exists (
      select
      from intents l
      where l.lane = held.lane and l.position > held.position and l.phase = 'pending' and (turns is null or l.owner = turns)
    )
    or exists (
      select
      from intents l
      where l.lane = held.lane and l.position > held.position and l.phase = 'in_doubt' and (turns is null or l.owner = turns)
    )
    or exists (
      select
      from intent_kinds k
      join intents l on l.kind = k.kind and l.settled_at >= held.sending_at
      where l.lane = held.lane and l.position > held.position and (turns is null or l.owner = turns)
    )
  ) then
    return false;
  end if;
  perform release_slot(intent, held.upstream); -- while it is in doubt: a proof may not have counted it
  update intents
  set state = 'queued', sending_at = null, left_at = null, reached_at = null, responded_at = null, upstream = null, reconcile_attempts = 0,
    sender_lost = false, has_turn = false, outcome = said
  where id = intent;
  perform advance_lane(held.lane, null, held.owner);
  return true;
end $$;
