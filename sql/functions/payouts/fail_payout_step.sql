-- Records a payout step that ended without a known effect. If nothing of the transfer was sent, the payout may be submitted again; a payout to
-- the bank whose money is not available yet is requested again by the sweep. A step of follow_ending. Locks the payout, then its event log.
create or replace function fail_payout_step(intent uuid) returns void
language plpgsql as $$
declare
  s payout_steps;
  i intents;
  code text;
begin
  select * into strict i from intents where id = intent;
  code := i.outcome -> 'problem' ->> 'code';
  select * into strict s from payout_steps where intent_id = intent;
  perform from payouts where id = s.payout_id for update;
  update payout_steps
  set ended_at = now(), failure_reason = coalesce(i.outcome -> 'problem' ->> 'reason', lower(code)),
    state = case
      when is_undecided(i.outcome) then 'unknown'
      when i.state = 'expired' and s.step = 'transfer' then 'unsent'
      when code in ('V2_PAYOUT_NOT_AVAILABLE', 'V2_PAYOUT_REVERSED') then 'unsent'
      else 'failed'
    end
  where intent_id = intent;
  perform settle_payout(s.payout_id);
end $$;
