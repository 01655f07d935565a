-- Stores that the processor has the payout to the bank of a step; events report its further states. The caller holds the payout.
create or replace function note_bank_request(intent uuid, processor_payout text, made_at timestamptz default null) returns void
language plpgsql as $$
begin
  update payout_steps
  set state = 'sent', processor_id = processor_payout, failure_reason = null, ended_at = null
  where intent_id = intent;
  perform post_payout(s.payout_id, coalesce(made_at, now()), processor_payout) from payout_steps s where s.intent_id = intent;
  perform settle_payout(s.payout_id) from payout_steps s where s.intent_id = intent;
  perform take_up_events(processor_payout);
end $$;
