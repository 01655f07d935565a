-- Posts what a payout takes of the account's earnings from now on: they can be requested again only once the money is provably back or never left.
-- The caller holds the payout.
create or replace function reserve_earnings(p payouts, cents integer) returns void
language sql as $$
  select post_entries(p.id, p.owner, 'reservation', null, now(), null, jsonb_build_array(leg('owed', 'earned', p.currency, cents - m.reserved_cents)))
  from payout_money(p) m
$$;
