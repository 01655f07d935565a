create or replace function ops.list_ledger_differences() returns table (
  subject text, app_id text, user_id text, processor_object text, place text, currency text, posted bigint, shown bigint, since timestamptz,
  safe_action text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select d.*
  from list_ledger_differences() d
$$;
comment on function ops.list_ledger_differences is 'The rows of ops.ledger_differences.';
