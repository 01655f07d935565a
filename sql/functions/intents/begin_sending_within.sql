-- begin_sending for an upstream that works on a limited number of requests at once: sent | sent_by_proof (beside requests in
-- doubt, see has_doubts: the time at which the request has left is to be noted, see note_left) | waiting (all slots are held; the intent is queued
-- again and continues when it is handed one, or expires; exits come first, see claim_slot) | lost (the claim is lost or the deadline has passed;
-- nothing may be sent). One for which a slot and the pace are free is not locked first, which spares the log a record: if it has changed when it is
-- written, it gives the slot back. `claims`: as in begin_sending; one that waits is not claimed. `pace`: what the upstream takes only `per_minute`
-- of, the first `kept` of them for exits; the intent waits for that too. An entry that exits of its lane wait for waits for its slot as they do.
create or replace function begin_sending_within(
  intent uuid, held_fence integer, what jsonb, at_upstream text, slots integer, for_s double precision, for_exits integer default 0,
  exits boolean default false, pace text default null, per_minute integer default null, kept integer default 0,
  claims boolean default false
) returns text
language plpgsql as $$
declare
  held record;
  free_slot integer;
  lane record;
  urgent boolean;
begin
  select i.kind, i.deadline_at, i.upstream, i.fence into held
  from intents i
  where i.id = intent and i.fence = held_fence and may_begin_sending(i, claims);
  if not found then
    return 'lost';
  end if;
  if held.upstream is null and (pace is null or pace_wait_s(pace, per_minute - case when exits then 0 else kept end, 0) = 0) then
    free_slot := take_free_slot(intent, at_upstream, slots, for_s, exits);
  end if;
  if free_slot is not null then
    update intents
    set state = 'running', fence = fence + claims::integer, attempts = attempts + claims::integer, sender_lost = sender_lost and not claims,
      upstream = at_upstream, pace = null, sending_at = now(), sent_payload = what
    where id = intent and fence = held.fence and may_begin_sending(intents, claims);
    if not found then
      update upstream_slots set intent_id = null, held_until = null where upstream = at_upstream and slot = free_slot;
      perform lock_line(at_upstream);
      perform hand_on_slot(at_upstream, for_s);
      return 'lost';
    end if;
    perform spend_pace(pace, 1) where pace is not null;
    return 'sent';
  end if;

  select i.lane as name, i.position into lane
  from intents i
  where i.id = intent and i.fence = held.fence and may_begin_sending(i, claims)
  for update;
  if not found then
    return 'lost';
  end if;
  if pace is not null and wait_for_pace(intent, pace, per_minute, kept, exits) then
    return 'waiting';
  end if;
  urgent := exits or is_urgent(lane.name, lane.position);
  if claim_slot(intent, at_upstream, slots, for_s, for_exits, urgent) then
    update intents
    set state = 'running', fence = fence + claims::integer, attempts = attempts + claims::integer, sender_lost = sender_lost and not claims,
      upstream = at_upstream, pace = null, sending_at = now(), sent_payload = what
    where id = intent;
    perform spend_pace(pace, 1) where pace is not null;
    return case when has_doubts(at_upstream) then 'sent_by_proof' else 'sent' end;
  end if;
  perform enqueue(array[slot_job(held.kind, intent, urgent, held.deadline_at)]);
  return 'waiting';
end $$;
