create or replace function ops.list_failed_accounts() returns table (
  prop_account_id text, app_id text, user_id text, payment_id text, processor_payment_intent_id text, tier_id text, asset_class text,
  account_size numeric, failure_reason text, intent_id uuid, created_at timestamptz, failed_at timestamptz, safe_action text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select a.id, a.owner, a.user_id, a.payment_id, p.processor_payment_intent_id, a.tier_id, a.asset_class,
    a.account_size, a.failure_reason, a.intent_id, a.created_at, a.status_at,
    case
      when m.held_cents <= 0 then 'abandon: its money was refunded or is disputed'
      when p.stopped_for is not null then 'refund the rest'
      when a.synthetic_hotkey is not null then o.otherwise || ': the network created it and then failed it'
      when a.intent_id is null or coalesce(is_provably_unmade(a.intent_id), false) then 'provision again, or ' || o.otherwise
      else 'look at the network: attach what was made, or ' || o.otherwise
    end
  from prop_accounts a
  left join payments p on p.id = a.payment_id
  left join lateral payment_money(p) m on p.id is not null
  cross join lateral (select case when a.payment_id is null then 'abandon' else 'refund' end as otherwise) o
  where a.status = 'subaccount_failed' and a.abandoned_at is null
$$;
comment on function ops.list_failed_accounts is 'The rows of ops.failed_accounts.';
