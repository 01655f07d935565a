-- Whether an intent that is about to be sent waits for the end of a pause; then it is queued again, and its job waits for `end_pause` or the
-- deadline. It expires unsent instead if intents that no pause holds wait behind it in its lane (turns_of), such as exits or another owner's.
-- `exits`: what it does reduces a risk. `claims`: as in begin_sending; an intent that waits is not claimed. Locks the pauses, so that their ends and
-- yield_to_newcomers see everything that waits: all in the order of the latter, since a batch has intents that wait for several. Then the intent.
create or replace function wait_for_pause(intent uuid, held_fence integer, exits boolean, claims boolean) returns boolean
language plpgsql as $$
declare
  held record;
begin
  if not exists (select from pauses) then
    return false;
  end if;
  select i.kind, i.owner, i.lane, i.position, i.deadline_at, k.upstream, exits or k.is_exit as is_exit into held
  from intents i
  join intent_kinds k on k.kind = i.kind
  where i.id = intent and may_begin_sending(i, claims);
  if not found then
    return false;
  end if;
  if not is_paused(held.upstream, held.owner, held.is_exit) then
    return false;
  end if;
  perform from pauses p order by p.subject for share;
  if not is_paused(held.upstream, held.owner, held.is_exit) then
    return false; -- it has ended meanwhile
  end if;
  if exists (
    select
    from intents e
    where e.lane = held.lane and e.phase = 'pending' and not e.has_turn and e.position > held.position
      and turns_of(e.lane, e.owner) is not distinct from turns_of(held.lane, held.owner)
      and not is_paused(held.upstream, e.owner, e.is_exit)
  ) then
    held.deadline_at := now();
  end if;
  update intents
  set state = 'queued', upstream = null, pace = null, deadline_at = held.deadline_at
  where id = intent and fence = held_fence and settled_at is null and sending_at is null;
  if not found then
    return false;
  end if;
  perform lock_line(h.upstream), release_slot(intent, h.upstream)
  from upstream_slots h
  where h.intent_id = intent; -- handed over while it waited for that
  perform enqueue(array[slot_job(held.kind, intent, held.is_exit, held.deadline_at)]);
  return true;
end $$;
