-- begin_sending for an upstream that works on a limited number of requests at once: sent | waiting (all slots are held; the intent is queued
-- again and continues when it is handed one, or expires; exits come first, see claim_slot) | lost (the claim is lost or the deadline has passed;
-- nothing may be sent). `claims`: as in begin_sending; one that waits is not claimed. `pace`: what the upstream takes only `per_minute` of, the
-- first `kept` of them for exits; the intent waits for that too.
create or replace function begin_sending_within(
  intent uuid, held_fence integer, what jsonb, at_upstream text, slots integer, for_s double precision, for_exits integer default 0,
  exits boolean default false, pace text default null, per_minute integer default null, kept integer default 0,
  claims boolean default false
) returns text
language plpgsql as $$
declare
  held record;
begin
  select i.kind, i.deadline_at into held
  from intents i
  where i.id = intent and i.fence = held_fence and may_begin_sending(i, claims)
  for update;
  if not found then
    return 'lost';
  end if;
  if pace is not null and wait_for_pace(intent, pace, per_minute, kept, exits) then
    return 'waiting';
  end if;
  if claim_slot(intent, at_upstream, slots, for_s, for_exits, exits) then
    update intents
    set state = 'running', fence = fence + claims::integer, attempts = attempts + claims::integer, sender_lost = sender_lost and not claims,
      upstream = at_upstream, pace = null, sending_at = now(), sent_payload = what
    where id = intent;
    perform spend_pace(pace, 1) where pace is not null;
    return 'sent';
  end if;
  perform enqueue(array[
    slot_job(held.kind, intent, held.deadline_at)]);
  return 'waiting';
end $$;
