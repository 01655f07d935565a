-- Requests the payout to the bank of what the trader's account holds of a payout: its money should be available there by now. Does nothing if
-- it was requested or reversed meanwhile. Locks the payout, then its event log. Item: as for begin_payout_step.
create or replace function pay_arrived(payout text, item jsonb, cents integer default null, of_currency text default null) returns void
language plpgsql as $$
begin
  perform
  from payouts p
  where p.id = payout and p.pay_after <= now() and p.status = 'transferred' and not exists (
    select
    from payout_steps s
    where s.payout_id = payout and s.state in ('under_way', 'sent', 'unknown')
  )
  for update;
  if found then
    perform begin_payout_step(payout, 'payout', item, cents, of_currency);
  end if;
end $$;
