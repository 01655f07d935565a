-- The ids of the objects that an intent belongs to.
create or replace function ops.subjects_of(intent uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'order_uuid', coalesce(o.id::text, case when venue_of(i.kind) is not null then i.request ->> 'target' end),
    'trader', coalesce(case when venue_of(i.kind) is not null then i.request ->> 'trader' end, s.synthetic_hotkey),
    'prop_account_id', coalesce(a.id, po.prop_account_id, i.request ->> 'prop_account_id'),
    'payment_id', coalesce(p.id, a.payment_id, i.request ->> 'payment_id'),
    'payout_id', coalesce(po.id, i.request ->> 'payout_id'),
    'registration_id', r.id,
    'user_id', coalesce(a.user_id, p.user_id, po.user_id, i.request ->> 'user_id')
  ))
  from intents i
  left join orders o on o.id = i.id
  left join prop_accounts a on a.intent_id = i.id
  left join payments p on p.intent_id = i.id
  left join payout_steps ps on ps.intent_id = i.id
  left join payouts po on po.id = ps.payout_id
  left join registrations r on r.id = i.id
  left join subaccounts s on s.intent_id = i.id
  where i.id = intent
$$;
comment on function ops.subjects_of is
  'The ids of the objects that an intent belongs to: order, trader, prop account, payment, payout, registration, user.';
