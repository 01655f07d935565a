-- Handles a payout step that ended without a known effect. If nothing was sent, the payout may be submitted again. If it was rejected or
-- its effect stays unknown, the payout has failed. A step of follow_ending. Locks the payout, then what fail_payout locks.
create or replace function fail_payout_step(intent uuid) returns void
language plpgsql as $$
declare
  p payouts;
  i intents;
  code text;
begin
  select * into strict i from intents where id = intent;
  code := i.outcome -> 'problem' ->> 'code';
  select * into p from payouts where submit_intent_id = i.id or pay_intent_id = i.id;
  if p.submit_intent_id = i.id and i.state = 'expired' then
    update payouts set submit_intent_id = null where id = p.id;
  else
    perform fail_payout(p.id, coalesce(i.outcome -> 'problem' ->> 'reason', lower(code)),
      p.submit_intent_id = i.id and code <> 'PROCESSOR_SILENT');
  end if;
end $$;
