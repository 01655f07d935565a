-- Stores that the reversal of a step was made. Its amount counts through the transfer's cumulative figure (note_reversed), of which this is
-- the least that it can be now. The caller holds the payout.
create or replace function note_reversal(intent uuid, reversal text, made_at timestamptz default null) returns void
language plpgsql as $$
declare
  s payout_steps;
begin
  update payout_steps
  set state = 'done', processor_id = reversal, failure_reason = null, ended_at = now()
  where intent_id = intent
  returning * into strict s;
  perform note_reversed(s.payout_id, (
    select greatest(p.reversed_cents, s.reversed_before + s.amount_cents) from payouts p where p.id = s.payout_id), made_at);
end $$;
