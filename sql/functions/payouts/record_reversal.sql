-- Records a reversal that an operator requested, see note_reversal. Locks the intent, then the payout, then its
-- event log.
create or replace function record_reversal(intent uuid, held_fence integer, said jsonb, reversal text, made_at timestamptz default null) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  perform from payouts p join payout_steps s on s.payout_id = p.id where s.intent_id = intent for update of p;
  perform note_reversal(intent, reversal, made_at);
end $$;
