-- Assigns an intent to a worker and raises its fence. No row: it has ended or is in doubt. State `expired`: it ended in this call because its
-- deadline passed before anything was sent; the caller hands it to emit_ended as its last step. A retry of an order that was lost with the time
-- after a backup (lost_orders) counts as sent before and never passes its deadline unsent: it is looked for, see presume_sent. Locks the intent;
-- finds it by its id only, see settle_intent.
create or replace function claim_intent(intent uuid) returns setof intents
language plpgsql as $$
declare
  held intents;
  lost_at timestamptz := (select l.found_at from lost_orders l where l.id = intent);
begin
  update intents
  set state = 'running', fence = fence + 1, attempts = attempts + 1, sender_lost = sending_at is not null,
    presumed_sent_at = case when sending_at is null then coalesce(presumed_sent_at, lost_at) else presumed_sent_at end,
    deadline_at = case when lost_at is null then deadline_at else greatest(deadline_at, now() + interval '1 day') end
  where id = intent and settled_at is null and state <> 'in_doubt'
  returning * into held;
  if not found then
    return;
  end if;
  if held.sending_at is null and held.deadline_at <= now() then
    perform settle_intent(intent, held.fence, 'expired', coalesce(held.outcome, jsonb_build_object(
      'problem', jsonb_build_object('code', 'DEADLINE_PASSED'))));
    held.state := 'expired';
  end if;
  return next held;
end $$;
