-- Requests the payout to the bank of what an account abroad holds of a payout now. Does nothing if it was requested or reversed meanwhile.
-- Locks the payout, then its event log. Item: as for begin_payout_step.
create or replace function pay_arrived(payout text, item jsonb, cents integer, of_currency text) returns void
language plpgsql as $$
begin
  perform from payouts p where p.id = payout and p.pay_after is not null and p.status = 'transferred' for update;
  if found then
    perform begin_payout_step(payout, 'payout', item, cents, of_currency);
  end if;
end $$;
