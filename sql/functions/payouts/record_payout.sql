-- Records the payout to the bank that the processor accepted. Its further states are reported by events. Locks the
-- intent, then the payout.
create or replace function record_payout(intent uuid, held_fence integer, said jsonb, processor_payout text, made_at timestamptz default null)
returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  perform from payouts p join payout_steps s on s.payout_id = p.id where s.intent_id = intent for update of p;
  perform note_bank_request(intent, processor_payout, made_at);
end $$;
