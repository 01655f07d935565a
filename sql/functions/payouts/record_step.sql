-- Ends the intent of a step with the object that the processor made, see note_step. Locks the intent, then the payout, then its event log.
create or replace function record_step(
  intent uuid, held_fence integer, said jsonb, object text, arrival text, item jsonb, made_at timestamptz
) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  perform from payouts p join payout_steps s on s.payout_id = p.id where s.intent_id = intent for no key update of p;
  perform note_step(intent, object, arrival, item, made_at);
end $$;
