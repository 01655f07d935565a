-- Accepts the reversal of what is with the trader's account of a payout whose payout to the bank failed, and records the operator. Verdicts:
-- accepted | replayed (a reversal is under way) | unknown | not_stranded. Locks the payment, then the payout.
-- Item: as for begin_payout_step.
create or replace function reverse_payout(payout text, by_operator text, because text, item jsonb)
returns table (verdict text, intent_id uuid)
language plpgsql as $$
declare
  p payouts;
  latest payout_steps;
begin
  perform lock_payment_of(o.prop_account_id) from payouts o where o.id = payout;
  select * into p from payouts o where o.id = payout for no key update;
  select * into latest from payout_steps s where s.payout_id = payout order by s.position desc limit 1;
  if p.id is null then
    return query select 'unknown', null::uuid;
  elsif latest.step = 'reversal' and latest.state = 'under_way' then
    return query select 'replayed', latest.intent_id;
  elsif not exists (select from payout_money(p) m where m.transferred_cents > m.reversed_cents)
    or p.status = 'completed' or not (latest.state = 'failed' or p.pay_after is not null or (latest.state = 'unsent' and p.status = 'failed')) then
    return query select 'not_stranded', null::uuid;
  else
    perform begin_payout_step(p.id, 'reversal', item);
    perform record_action(by_operator, 'reverse_payout', payout, null, p.prop_account_id, because,
      jsonb_build_object('verdict', 'done', 'intent_id', item ->> 'id'));
    return query select 'accepted', (item ->> 'id')::uuid;
  end if;
end $$;
