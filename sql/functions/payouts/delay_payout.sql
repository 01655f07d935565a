-- Records that a step of a payout waits, and why: it is shown as delayed until the step goes on (settle_payout).
create or replace function delay_payout(intent uuid, code text) returns void
language sql as $$
  update payouts p
  set delayed_for = lower(code collate "C"), delayed_since = coalesce(p.delayed_since, now())
  from payout_steps s
  where s.intent_id = intent and p.id = s.payout_id
$$;
