-- What a process may do with each table of ours: nobody but the owner changes the schema, empties a table, or touches what is append only
-- after the fact. `trading_web` deletes only what requests end, and may reseal; `trading_worker` deletes what retention says, and never makes a
-- credential, an owner or a price. Rows that no code of a process changes are only added: a test compares the rights with the code. PostgreSQL wants
-- update for a row that is locked before it is deleted.
create or replace function process_rights(process text) returns table (of_table text, verbs text)
language sql stable as $$
  select c.relname::text, concat_ws(', ', 'select',
    case
      when c.relname in ('agreement_keys', 'migrations', 'definitions', 'intent_kinds') then null
      when c.relname = 'recoveries' then case when process = 'trading_worker' then 'insert' end -- npm run ops -- recover, with a worker's settings
      when c.relname in ('admin_audit', 'agreement_signatures') then case when process = 'trading_web' then 'insert' end
      when c.relname in (
        'operator_actions', 'ledger_accounts', 'ledger_transactions', 'ledger_entries', 'statement_lines', 'account_events', 'balance_changes',
        'lost_orders', 'own_networks', 'processor_accounts', 'restore_evidence', 'unlogged_state', 'webhook_attempts'
      ) then 'insert'
      when process = 'trading_web' then
        case
          when c.relname in ('figures', 'exchange_fills', 'exchange_funding', 'worker_processes', 'burnt_nonces') then null
          when c.relname in ('api_requests', 'app_tokens', 'events', 'stream_tickets') then 'insert'
          else 'insert, update'
        end
      when c.relname in (
        'admins', 'app_requests', 'approvals', 'apps', 'partners', 'partner_keys', 'app_secrets', 'tiers', 'wallet_proofs', 'agreement_chains'
      ) then null
      when c.relname in (
        'admin_sessions', 'user_sessions', 'app_tokens', 'trader_keys', 'users', 'sign_ups', 'one_time_codes', 'login_codes', 'password_resets',
        'known_addresses', 'pauses', 'reveal_links', 'stream_tickets'
      ) then 'update'
      when c.relname in ('burnt_nonces', 'exchange_fills', 'exchange_funding', 'registration_keys', 'seal_checks', 'sealed_results') then 'insert'
      else 'insert, update'
    end,
    case
      when process = 'trading_web' and c.relname in (
        'prop_accounts', 'signing_keys', 'enrollments', 'idempotency_keys', 'idempotent_responses', 'throttles', 'sign_ups', 'app_tokens',
        'processes', 'stream_tickets', 'pauses'
      ) then 'delete'
      when process = 'trading_worker' and c.relname in (
        'account_events', 'admin_sessions', 'api_requests', 'api_usage', 'app_tokens', 'balance_differences', 'burnt_nonces', 'enrollments',
        'events', 'figures', 'idempotency_keys',
        'idempotent_responses', 'intents', 'known_addresses', 'lanes', 'login_codes', 'mails', 'one_time_codes', 'orders', 'paces',
        'password_resets', 'processes', 'processor_events', 'registration_keys', 'retention_runs', 'reveal_links', 'sign_ups', 'signing_keys',
        'stream_tickets', 'throttles',
        'upstream_responses', 'upstream_slots', 'user_sessions', 'users', 'webhook_attempts', 'webhook_deliveries', 'webhook_secrets',
        'worker_processes'
      ) then 'delete'
    end)
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  union all
  values ('queue_jobs', 'select, update, delete')
$$;
