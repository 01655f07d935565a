-- Puts an intent that its upstream would not take yet back in the queue until it may be sent, and gives back the slot that it may hold. False: it may
-- be sent now. The first `kept` of `per_minute` are for exits. Its caller has locked the pace (see lock_paces) and the intent.
create or replace function wait_for_pace(intent uuid, pace text, per_minute integer, kept integer, exits boolean) returns boolean
language plpgsql as $$
declare
  wait_s constant double precision := pace_wait_s(pace, per_minute - case when exits then 0 else kept end, 0);
  held_at constant text := (select i.upstream from intents i where i.id = intent);
begin
  if wait_s = 0 then
    return false;
  end if;
  update intents set state = 'queued', upstream = null, pace = wait_for_pace.pace, is_exit = exits where id = intent;
  perform lock_line(held_at) where exists (select from upstream_slots u where u.upstream = held_at and u.intent_id = intent);
  perform release_slot(intent, held_at); -- once it is out of the line: else its slot would be handed back to it
  perform enqueue(array_agg(slot_job(i.kind, i.id, exits, least(i.deadline_at, now() + make_interval(secs => wait_s)))))
  from intents i
  where i.id = intent;
  return true;
end $$;
