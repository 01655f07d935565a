-- Accepts the submission of a payout: its transfer, or, if that money is already with the trader's account, its payout to the bank again.
-- Checks again what the request checked. Of several submissions at once exactly one is accepted, and its intent is the result of all; of one that
-- is completed it is the intent by which the bank has it. Verdicts:
-- accepted | replayed | unknown | V2_SESSION_INVALID (`in_session` has ended meanwhile) | V2_PAYOUT_QUARANTINED | V2_PAYOUT_CANCELED |
-- V2_PAYOUT_REVERSED (before its payout to the bank: it is not transferred again) | a code of payout_obstacle. A payout whose account was detached
-- goes to the one that the user has now. The user is mailed. Locks the session, the payment, the account, then the payout.
-- Item: as for accept_intents, without kind.
create or replace function submit_payout(payout text, of_owner text, of_user text, item jsonb, earned_cents bigint, hold_h integer default 0,
  in_session text default null)
returns table (verdict text, intent_id uuid)
language plpgsql as $$
declare
  p payouts;
  latest payout_steps;
  has_left boolean;
begin
  if in_session is not null and not lock_live_session(in_session) then
    return query select 'V2_SESSION_INVALID', null::uuid;
    return;
  end if;
  perform lock_payment_of(o.prop_account_id) from payouts o where o.id = payout;
  perform from prop_accounts a where a.id = (select o.prop_account_id from payouts o where o.id = payout) for no key update;
  select * into p from payouts o where o.id = payout and o.owner = of_owner and o.user_id = of_user for no key update;
  select * into latest
  from payout_steps s
  where s.payout_id = payout
  order by p.status = 'completed' and s.step = 'payout' and s.state = 'done' desc, s.position desc
  limit 1;
  has_left := exists (select from payout_money(p) m where m.transferred_cents > m.reversed_cents);
  verdict := case
    when p.id is null then 'unknown'
    when p.canceled_at is not null then 'V2_PAYOUT_CANCELED'
    when p.status = 'completed' or (latest.state <> 'unsent' and not (has_left and latest.state = 'failed')) then 'replayed'
    when p.status = 'reversed' then 'V2_PAYOUT_REVERSED'
    when p.failure_reason = 'quarantined' then 'V2_PAYOUT_QUARANTINED'
  end;
  if verdict is not null then
    intent_id := case when verdict = 'replayed' then latest.intent_id end;
    return next;
    return;
  end if;
  if not has_left then
    update payouts o
    set connect_account_id = c.id
    from connect_accounts d, connect_accounts c
    where o.id = payout and d.id = o.connect_account_id and d.detached_at is not null and c.user_id = d.user_id and c.detached_at is null;
    select o.connect_account_id into p.connect_account_id from payouts o where o.id = payout;
  end if;
  verdict := payout_obstacle(p.prop_account_id, p.connect_account_id, case when not has_left then p.amount_cents end, earned_cents, p.id,
    hold_h);
  if verdict is not null then
    return next;
    return;
  end if;
  perform begin_payout_step(p.id, case when has_left then 'payout' else 'transfer' end, item);
  perform mail_user(p.user_id, 'payout_submitted', gen_random_uuid(), jsonb_build_object('amount', p.amount_cents::text), 86400);
  return query select 'accepted', (item ->> 'id')::uuid;
end $$;
