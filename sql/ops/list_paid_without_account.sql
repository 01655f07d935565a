create or replace function ops.list_paid_without_account(minutes double precision default 10) returns table (
  payment_id text, app_id text, user_id text, amount_cents integer, currency text, paid_at timestamptz,
  prop_account_id text, account_status text, failure_reason text, intent_id uuid, intent_state text, safe_action text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.payment_id, u.owner, u.user_id, u.amount_cents, u.currency, u.paid_at, u.prop_account_id, u.account_status,
    u.failure_reason, u.intent_id, u.intent_state, u.safe_action
  from list_unfulfilled_payments(minutes) u
$$;
comment on function ops.list_paid_without_account is 'Payments older than `minutes` that were neither fulfilled nor refunded.';
