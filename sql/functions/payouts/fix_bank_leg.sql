-- Fixes the amount and currency of a payout to the bank that is about to be sent, by what the processor shows that the trader's account holds
-- of the transfer (`held`, in the account's currency), and stores how much of the transfer is reversed. Verdicts: fixed | later (not available
-- before `available_at_ms`: then it is requested again) | reversed (it is not held: it came back, or the bank has kept it) | unreadable (the report
-- is impossible, or older than what is known). Locks the payout, then its event log.
create or replace function fix_bank_leg(
  intent uuid, reversed integer, held bigint, of_currency text, arrival text, available_at_ms double precision, movements jsonb default '[]'
) returns text
language plpgsql as $$
declare
  p payouts;
  account text;
  sent integer;
begin
  select o.* into strict p from payouts o join payout_steps s on s.payout_id = o.id where s.intent_id = intent for no key update of o;
  select m.transferred_cents into strict sent from payout_money(p) m;
  select c.processor_account_id into strict account from connect_accounts c where c.id = p.connect_account_id;
  if not note_holding(p.id, account, reversed, of_currency, movements) or (held <= 0 and reversed < sent) then
    return 'unreadable';
  elsif reversed >= sent or ledger_sum(p.id, '{held,overdrawn}', of_currency) < held then
    return 'reversed';
  end if;
  update payouts
  set arrival_id = arrival, pay_after = case when to_timestamp(available_at_ms / 1000) > now() then to_timestamp(available_at_ms / 1000) end
  where id = p.id
  returning * into p;
  if p.pay_after is not null then
    return 'later';
  end if;
  update payout_steps
  set amount_cents = held, currency = of_currency, reversed_before = reversed
  where intent_id = intent;
  return 'fixed';
end $$;
