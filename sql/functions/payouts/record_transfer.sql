-- Records the transfer to the trader's account that the processor accepted, see note_transfer. Locks the intent,
-- then the payout, then its event log.
create or replace function record_transfer(
  intent uuid, held_fence integer, said jsonb, transfer text, arrival text, item jsonb, made_at timestamptz default null
) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  perform from payouts p join payout_steps s on s.payout_id = p.id where s.intent_id = intent for update of p;
  perform note_transfer(intent, transfer, arrival, item, made_at);
end $$;
