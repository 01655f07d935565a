-- What the ledger holds of a payout: transferred, come back of that, and taken of the account's earnings. A statement that locks the payout does not
-- see what the lock waited for: read this in the next one.
create or replace function payout_money(p payouts) returns table (transferred_cents integer, reversed_cents integer, reserved_cents integer)
language sql stable as $$
  select coalesce(-sum(l.amount) filter (where l.account = 'platform' and l.amount < 0), 0)::integer,
    coalesce(sum(l.amount) filter (where l.account = 'platform' and l.amount > 0), 0)::integer,
    coalesce(sum(l.amount) filter (where l.account = 'earned'), 0)::integer
  from ledger_lines l
  where l.subject = p.id and l.currency = p.currency and l.transaction_kind in ('transfer', 'reservation')
$$;
