-- Posts what the figures and steps of a payout say beyond the ledger: what it takes of the earnings, what was transferred and came back, and
-- what is on the way to the bank or paid there. Every writer of these calls it, with the time at which they moved by the processor's clock. The
-- caller holds the payout.
create or replace function post_payout(payout text, said timestamptz, of_source text default null) returns void
language plpgsql as $$
declare
  p payouts;
  account text;
  b record;
begin
  select * into strict p from payouts where id = payout;
  select c.processor_account_id into strict account from connect_accounts c where c.id = p.connect_account_id;
  perform post_entries(p.id, p.owner, m.kind, m.source, said, null, jsonb_build_array(m.moved))
  from (values
    ('reservation', null, leg('owed', 'earned', p.currency,
      coalesce(p.reserved_cents, p.amount_cents) - ledger_sum(p.id, '{earned}', p.currency))),
    ('transfer', of_source, leg('platform', 'exchange', p.currency,
      p.transferred_cents - p.reversed_cents + ledger_sum(p.id, '{platform}', p.currency)))
  ) as m (kind, source, moved);
  for b in
    select s.currency, coalesce(sum(s.amount_cents) filter (where s.state = 'sent'), 0) - ledger_sum(payout, '{in_transit}', s.currency) as more_sent,
      coalesce(sum(s.amount_cents) filter (where s.state = 'done'), 0) - ledger_sum(payout, '{bank}', s.currency) as more_paid
    from payout_steps s
    where s.payout_id = payout and s.step = 'payout' and s.processor_id is not null
    group by s.currency
  loop
    perform post_entries(p.id, p.owner, 'bank', of_source, said, account,
      held_legs(p.id, 'in_transit', b.currency, -b.more_sent - b.more_paid) || leg('in_transit', 'bank', b.currency, b.more_paid));
  end loop;
end $$;
