-- Stores how much of a payout's transfer is reversed: the processor's cumulative figure, which never falls. False: it is impossible, and
-- nothing is written. Locks the payout, then its event log.
create or replace function note_reversed(payout text, cents integer, at timestamptz default null) returns boolean
language plpgsql as $$
declare
  p payouts;
begin
  select * into strict p from payouts where id = payout for update;
  if cents > p.transferred_cents then
    return false;
  end if;
  if cents > p.reversed_cents then
    update payouts set reversed_cents = cents where id = payout;
    perform post_payout(payout, coalesce(at, now()), p.processor_transfer_id);
    perform settle_payout(payout);
  end if;
  return true;
end $$;
