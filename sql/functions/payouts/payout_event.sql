-- The data of an event about a payout. Its status is the one that its user reads.
create or replace function payout_event(p payouts) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'payout_id', p.id, 'user_id', p.user_id, 'amount_cents', p.amount_cents, 'currency', p.currency, 'status', payout_state(p),
    'transferred_cents', m.transferred_cents, 'reversed_cents', m.reversed_cents, 'bank_amount_cents', b.amount_cents,
    'bank_currency', b.currency, 'failure_reason', p.failure_reason)
  from payout_money(p) m
  left join bank_leg_of(p.id) b on true
$$;
