-- Records a reversal that an operator requested. Its amount counts through the transfer's cumulative figure (note_reversed), of which this is
-- the least that it can be now. False if the claim is lost. Locks the intent, then the payout, then its event log.
create or replace function record_reversal(intent uuid, held_fence integer, said jsonb, reversal text) returns boolean
language plpgsql as $$
declare
  s payout_steps;
  p payouts;
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  select * into strict s from payout_steps where intent_id = intent;
  select * into strict p from payouts where id = s.payout_id for update;
  update payout_steps set state = 'done', processor_id = reversal, ended_at = now() where intent_id = intent;
  perform note_reversed(p.id, greatest(p.reversed_cents, s.reversed_before + s.amount_cents));
  return true;
end $$;
