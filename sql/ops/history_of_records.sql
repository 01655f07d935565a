-- Internal to the kit: the states of the objects that an intent belongs to.
create or replace function ops.history_of_records(ids jsonb, i intents) returns table (at timestamptz, what text, detail text)
language sql stable as $$
  select o.created_at, 'order', format('%s %s, at the venue %s%s', o.venue, o.pair, coalesce(o.handle, o.id::text), ', now ' || o.lifecycle)
  from orders o
  where o.id = case when ids ->> 'order_uuid' ~ '^[0-9a-f-]{36}$' then (ids ->> 'order_uuid')::uuid end
  union all
  select s.created_at, 'subaccount made', format('%s, %s', s.synthetic_hotkey, s.status)
  from subaccounts s
  where s.intent_id = i.id
  union all
  select a.status_at, 'prop account', format('%s is %s%s', a.id, a.status, ': ' || a.failure_reason)
  from prop_accounts a
  where a.id = ids ->> 'prop_account_id'
  union all
  select a.abandoned_at, 'prop account abandoned', format('by %s: %s', a.abandoned_by, a.abandoned_why)
  from prop_accounts a
  where a.id = ids ->> 'prop_account_id' and a.abandoned_at is not null
  union all
  select t.at, 'payment', format('%s %s', p.id, t.word)
  from payments p
  cross join lateral (values
    (p.created_at, 'requested'), (p.paid_at, 'paid'), (p.refunded_at, 'refunded'), (p.disputed_at, 'disputed')
  ) as t (at, word)
  where p.id = ids ->> 'payment_id' and t.at is not null
  union all
  select t.at, 'payout', format('%s %s', p.id, t.word)
  from payouts p
  cross join lateral (values
    (p.requested_at, 'requested'), (p.submitted_at, 'submitted'), (p.completed_at, 'completed')
  ) as t (at, word)
  where p.id = ids ->> 'payout_id' and t.at is not null
  union all
  select coalesce(s.ended_at, s.created_at), 'payout ' || s.step, format('%s %s%s', s.processor_id, s.state, ': ' || s.failure_reason)
  from payout_steps s
  where s.payout_id = ids ->> 'payout_id'
  union all
  select r.updated_at, 'registration', format('%s is %s%s', r.ex_address, r.status, ', paid by ' || r.tx_hash)
  from registrations r
  where r.id = i.id
$$;
comment on function ops.history_of_records is 'Internal to the kit.';
