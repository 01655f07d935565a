-- Assigns an intent to a worker and raises its fence. No row: it has ended, is in doubt, or ended in this call because its deadline passed
-- before anything was sent. Locks the intent; finds it by its id only, see settle_intent.
create or replace function claim_intent(intent uuid) returns setof intents
language plpgsql as $$
declare
  held intents;
begin
  update intents
  set state = 'running', fence = fence + 1, attempts = attempts + 1, sender_lost = sending_at is not null
  where id = intent and settled_at is null and state <> 'in_doubt'
  returning * into held;
  if not found then
    return;
  end if;
  if held.sending_at is null and held.deadline_at <= now() then
    perform settle_intent(intent, held.fence, 'expired', coalesce(held.outcome, jsonb_build_object(
      'problem', jsonb_build_object('code', 'DEADLINE_PASSED'))));
    return;
  end if;
  return next held;
end $$;
