-- Requests the next step of a payout that waited: the payout to the bank of what the trader's account holds, or the transfer, if that was not made.
-- Does nothing if it was requested or reversed meanwhile. Locks the payout, then its event log. Item: as for begin_payout_step.
create or replace function pay_arrived(payout text, item jsonb) returns void
language plpgsql as $$
declare
  p payouts;
begin
  select * into p from payouts o where o.id = payout for no key update;
  if p.pay_after <= now() and p.status in ('submitted', 'transferred') and not exists (
    select
    from payout_steps s
    where s.payout_id = payout and s.state in ('under_way', 'sent', 'unknown')
  ) then
    perform begin_payout_step(payout, case when p.processor_transfer_id is not null then 'payout' else 'transfer' end, item);
  end if;
end $$;
