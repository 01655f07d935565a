-- Accepts one step of a payout: the transfer of the whole amount, or the payout to the bank or the reversal of what is with the trader's
-- account. Amount and currency of a payout to the bank are those of the transfer until fix_bank_leg. One that may have been made before a recovery
-- of the database (lost_leg_since), and a transfer that was (lost_money), counts as sent, and is reconciled. The caller holds the payout.
-- Item: as for accept_intents, without kind, owner and request.
create or replace function begin_payout_step(payout text, which text, item jsonb) returns void
language plpgsql as $$
declare
  p payouts;
  m record;
  lost_since timestamptz := case which
    when 'transfer' then (select min(l.made_at) from lost_money l where l.kind = 'transfer' and l.subject_id = payout)
    when 'payout' then lost_leg_since(payout)
  end;
begin
  select * into strict p from payouts where id = payout;
  select * into m from payout_money(p);
  insert into payout_steps (intent_id, payout_id, step, amount_cents, currency, reversed_before)
  values ((item ->> 'id')::uuid, payout, which,
    case when which = 'transfer' then p.amount_cents else m.transferred_cents - m.reversed_cents end, p.currency, m.reversed_cents);
  perform accept_intents(jsonb_build_array(item || jsonb_build_object(
    'n', 0, 'owner', p.owner, 'digest', encode(sha256(convert_to(payout, 'utf8')), 'hex'), 'request', jsonb_build_object('payout_id', payout),
    'kind', case which when 'transfer' then 'payouts/submit' when 'payout' then 'payouts/pay' else 'payouts/reverse' end)));
  update intents i
  set presumed_sent_at = lost_since, deadline_at = greatest(i.deadline_at, now() + interval '1 day')
  where i.id = (item ->> 'id')::uuid and lost_since is not null;
  update payouts set pay_after = null where id = payout;
  perform settle_payout(payout);
end $$;
