create or replace function ops.list_stranded_payouts() returns table (
  payout_id text, app_id text, user_id text, prop_account_id text, processor_account_id text, processor_transfer_id text, status text,
  amount_cents integer, transferred_cents integer, reversed_cents integer, currency text, failure_reason text, since timestamptz,
  safe_action text, step text, step_state text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select s.*
  from list_stranded_payouts() s
$$;
comment on function ops.list_stranded_payouts is 'The rows of ops.stranded_payouts.';
