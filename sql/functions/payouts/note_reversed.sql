-- Posts the reversed amount of a payout's transfer: the processor's cumulative figure, which never falls. False: it is impossible, and nothing is
-- written. Locks the payout, then its event log.
create or replace function note_reversed(payout text, cents bigint, at timestamptz default null) returns boolean
language plpgsql as $$
declare
  p payouts;
  m record;
begin
  select * into strict p from payouts where id = payout for no key update;
  select * into m from payout_money(p);
  if cents > m.transferred_cents then
    return false;
  end if;
  if cents > m.reversed_cents then
    update payouts set is_unread = true where id = payout;
    perform post_entries(p.id, p.owner, 'transfer', p.processor_transfer_id, coalesce(at, now()), null,
      jsonb_build_array(leg('exchange', 'platform', p.currency, cents - m.reversed_cents)));
    perform settle_payout(payout);
  end if;
  return true;
end $$;
