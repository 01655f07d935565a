-- Records a payout step that ended without a known effect. What is not its own fault makes it wait: the sweep requests it again, first after a
-- minute, at last hourly; so does a payout to the bank that nobody sent in time. One whose money is not available yet is requested again then. A
-- transfer that nobody sent in time for another reason may be submitted again. A step of follow_ending. Locks the payout, then its event log.
create or replace function fail_payout_step(intent uuid) returns void
language plpgsql as $$
declare
  s payout_steps;
  i intents;
  code text;
  waits boolean;
begin
  select * into strict i from intents where id = intent;
  code := i.outcome -> 'problem' ->> 'code';
  select * into strict s from payout_steps where intent_id = intent;
  perform from payouts where id = s.payout_id for no key update;
  waits := s.step <> 'reversal' and not is_undecided(i.outcome) and (
    code in ('PROCESSOR_SHORT', 'PROCESSOR_AUTH', 'PROCESSOR_UNREACHABLE', 'PROCESSOR_UNREADABLE') or (i.state = 'expired' and s.step = 'payout'));
  if waits then
    perform delay_payout(intent, code);
    update payouts
    set pay_after = now() + greatest(interval '1 minute', least(interval '1 hour', (now() - delayed_since) / 4))
    where id = s.payout_id;
  end if;
  update payout_steps
  set ended_at = now(), failure_reason = coalesce(i.outcome -> 'problem' ->> 'reason', lower(code collate "C")),
    state = case
      when is_undecided(i.outcome) then 'unknown'
      when waits or (i.state = 'expired' and s.step = 'transfer') then 'unsent'
      when code in ('V2_PAYOUT_NOT_AVAILABLE', 'V2_PAYOUT_REVERSED') then 'unsent'
      else 'failed'
    end
  where intent_id = intent;
  perform settle_payout(s.payout_id);
end $$;
