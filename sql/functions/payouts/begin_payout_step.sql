-- Accepts one step of a payout: the transfer of the whole amount, or the payout to the bank or the reversal of what is with the trader's
-- account. Amount and currency of a payout to the bank are those of the transfer until fix_bank_leg. A payout to the bank whose transfer is older
-- than a recovery of the database may have been made before: it counts as sent, and is reconciled. `cents` and `of_currency`: of a caller that has
-- fixed them. The caller holds the payout.
-- Item: as for accept_intents, without kind, owner and request.
create or replace function begin_payout_step(payout text, which text, item jsonb, cents integer default null, of_currency text default null)
returns void
language plpgsql as $$
declare
  p payouts;
  m record;
begin
  select * into strict p from payouts where id = payout;
  select * into m from payout_money(p);
  insert into payout_steps (intent_id, payout_id, step, amount_cents, currency, reversed_before)
  values ((item ->> 'id')::uuid, payout, which,
    coalesce(cents, case when which = 'transfer' then p.amount_cents else m.transferred_cents - m.reversed_cents end),
    coalesce(of_currency, p.currency), m.reversed_cents);
  perform accept_intents(jsonb_build_array(item || jsonb_build_object(
    'n', 0, 'owner', p.owner, 'digest', encode(sha256(convert_to(payout, 'utf8')), 'hex'), 'request', jsonb_build_object('payout_id', payout),
    'kind', case which when 'transfer' then 'payouts/submit' when 'payout' then 'payouts/pay' else 'payouts/reverse' end)));
  update intents i
  set presumed_sent_at = r.since, deadline_at = greatest(i.deadline_at, now() + interval '1 day')
  from payout_steps s
  join intents t on t.id = s.intent_id
  join recoveries r on t.sending_at < r.recovered_at
  where i.id = (item ->> 'id')::uuid and which = 'payout' and s.payout_id = payout and s.step = 'transfer' and s.state = 'done';
  update payouts set pay_after = null where id = payout;
  perform settle_payout(payout);
end $$;
