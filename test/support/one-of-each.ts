/** The migration up to which `ONE_OF_EACH` is valid. */
export const AS_OF = '0019_figures';

const ID = '00000000-0000-7000-8000-00000000000';

/** One row of every table as of 0016, some open and some ended: the content of an existing database. */
export const ONE_OF_EACH = `
  insert into partners (id, name) values ('ptn_1', 'Partner');
  insert into partner_keys (id, partner_id, digest, hint) values ('pk_1', 'ptn_1', '\\x01', 'pk_a');

  insert into intents (id, kind, owner, lane, state, request, sent_payload, outcome, digest, fence, attempts, deadline_at, sending_at, settled_at)
  values
    ('${ID}1', 'network/place', 'ptn_1', 'lane', 'succeeded', '{"trader": "e_1"}', '{}', '{"result": {"n": 1}}', '\\x01', 1, 1, now(), now(), now()),
    ('${ID}2', 'network/place', 'ptn_1', 'lane', 'queued', '{"trader": "e_1"}', null, null, '\\x02', 0, 0, now() + interval '1 hour', null, null),
    ('${ID}3', 'network/cancel', 'ptn_1', 'lane', 'in_doubt', '{"trader": "e_1"}', '{}', null, '\\x03', 1, 1, now(), now(), null),
    ('${ID}4', 'accounts/provision', 'ptn_1', null, 'succeeded', '{}', '{}', '{"result": {}}', '\\x04', 1, 1, now(), now(), now()),
    ('${ID}5', 'payments/checkout', 'app_1', null, 'failed', '{}', '{}', '{"problem": {"code": "X"}}', '\\x05', 1, 1, now(), now(), now());
  insert into lanes (name, head) values ('lane', '${ID}2'), ('idle', null);
  select graphile_worker.add_job('network/place', '{"intent_id": "${ID}2"}');
  insert into idempotency_keys (owner, key, digest, intent_id) values ('ptn_1', 'key', '\\x01', '${ID}1');
  insert into idempotent_responses (caller, key, digest, status, sealed) values ('ptn_1', 'key', '\\x01', 200, '\\x02');

  insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
  values ('e_1', 'e', 1, 'ptn_1', '${ID}4', 'crypto', 10000, 'active');
  insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, executed)
  values ('${ID}1', 'netvenue', 'ptn_1', 'e_1', 'BTCUSDC', '${ID}1', '{"leverage": 0.1}', 'resting', '{"price": "1"}'),
    ('${ID}2', 'exvenue', 'ptn_1', '0xaa', 'BTC/USD', '${ID}2', '{}', null, null);
  insert into worker_processes (id, pool_ids) values ('${ID}1', '{pool}');
  insert into signing_keys (id, owner, ex_wallet, signer, key_version, sealed) values ('${ID}1', 'ptn_1', '0xaa', '0xbb', 1, '\\x01');
  insert into enrollments (owner, ex_wallet) values ('ptn_1', '0xaa');
  insert into signer_nonces (signer, last_nonce) values ('0xbb', 1700000000000);
  insert into throttles (name, subject, budget, base, longest, ends_at, forget_at)
  values ('login', '\\x01', 5, '1 minute', '1 hour', now() + interval '1 minute', now() + interval '1 hour');
  insert into mails (id, template, recipient, data, secret, expires_at) values ('${ID}1', 'verify_email', 'a@example.com', '{}', '\\x01', now());

  insert into apps (id, slug, name, entity_hotkey, network_key, allowed_scopes) values ('app_1', 'app', 'App', 'e2', '\\x01', '{api}');
  insert into app_secrets (id, app_id, digest, hint) values ('sec_1', 'app_1', '\\x01', 'csk_a');
  insert into app_tokens (digest, app_id, secret_id, scopes, expires_at) values ('\\x01', 'app_1', 'sec_1', '{api}', now());
  insert into app_requests (id, company_name, slug, contact_email, use_case) values ('req_1', 'Company', 'company', 'a@example.com', 'use');
  insert into reveal_links (id, digest, app_id, expires_at) values ('lnk_1', '\\x01', 'app_1', now());
  insert into admins (id, email, password_hash) values ('adm_1', 'op@example.com', 'hash');
  insert into admin_sessions (id, digest, admin_id, expires_at) values ('ses_1', '\\x01', 'adm_1', now());
  insert into admin_audit (admin_id, action, subject) values ('adm_1', 'apps/create', 'app_1');
  insert into users (id, app_id, email, password_hash, verified_at) values ('usr_1', 'app_1', 'a@example.com', 'hash', now());
  insert into sign_ups (user_id, password_hash) values ('usr_1', 'other');
  insert into user_sessions (id, digest, user_id, expires_at) values ('ses_1', '\\x01', 'usr_1', now());
  insert into one_time_codes (app_id, email, attempts_left, expires_at) values ('app_1', 'a@example.com', 5, now());
  insert into login_codes (user_id, scope, hmac, attempts_left, expires_at) values ('usr_1', '\\x01', '\\x01', 5, now());
  insert into password_resets (app_id, email, user_id, digest, expires_at) values ('app_1', 'a@example.com', 'usr_1', '\\x01', now());
  insert into known_addresses (account, address) values ('usr_1', '\\x01');

  insert into webhook_endpoints (id, owner, url, events) values ('whe_1', 'app_1', 'https://example.com', '{*}');
  insert into webhook_secrets (id, endpoint_id, sealed) values ('whs_1', 'whe_1', '\\x01');
  insert into event_logs (owner, last_position) values ('app_1', 1);
  insert into events (id, owner, type, position, data, created_at) values ('evt_1', 'app_1', 'a.b', 1, '{}', now());
  insert into webhook_deliveries (id, owner, endpoint_id, event_id) values ('whd_1', 'app_1', 'whe_1', 'evt_1');
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms) select id, 1, now(), 5 from webhook_deliveries;
  insert into agreement_signatures (id, app, user_id, position, agreement_version, signature_name, signed_at, previous_hash, row_hash)
  values ('agr_1', 'app_1', 'usr_1', 1, '1', 'Name', now(), 'a', 'b');
  insert into agreement_chains (app, length, last_hash) values ('app_1', 1, 'b');

  insert into registrations (id, owner, ex_address, miner_slug, account_size, payer) values ('${ID}6', 'ptn_1', '0xcc', 'slug', 1000, '0xdd');
  insert into registration_keys (registration_id, sealed) values ('${ID}6', '\\x01');
  insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_a', 'crypto', 'crypto', 1000, 5000);
  insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
  values ('pay_1', 'app_1', 'usr_1', 'tier_a', 'crypto', 'crypto', 1000, 5000, 'usd', '${ID}5');
  insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status)
  values ('prop_1', 'app_1', 'usr_1', 'tier_a', 'pay_1', 'crypto', 'crypto', 1000, 'subaccount_failed');
  insert into processor_events (id, type, said_at, fact, source, payment_id) values ('evt_1', 'a', now(), '{}', 'listed', 'pay_1');
  insert into processor_cursor (since) values (now());
  insert into kyc_cases (user_id, owner, provider, session_id) values ('usr_1', 'app_1', 'processor', 'vs_1');
  insert into connect_accounts (id, owner, user_id, processor_account_id, payouts_enabled, charges_enabled, details_submitted)
  values ('con_1', 'app_1', 'usr_1', 'acct_1', true, true, true);
  insert into payouts (id, owner, user_id, prop_account_id, connect_account_id, amount_cents, currency)
  values ('po_1', 'app_1', 'usr_1', 'prop_1', 'con_1', 100, 'usd');
  insert into payout_steps (intent_id, payout_id, step, amount_cents, currency) values ('${ID}5', 'po_1', 'transfer', 100, 'usd');
  insert into payment_losses (processor_id, payment_id, kind, amount_cents, is_live, rank, said_at)
  values ('re_1', 'pay_1', 'refund', 100, true, 2, now());
  insert into request_budgets (name, tokens, counted_at) values ('exvenue', 1, now());
  insert into upstream_responses (upstream, name, body, read_at) values ('https://x', 'meta', '{}', now());
  insert into burnt_nonces (signer, nonce) values ('0xbb', 1);
  insert into recoveries (since) values (now());
  insert into lost_orders (id) values ('${ID}7');
  insert into lost_money (processor_id, kind, intent_id, subject_id, amount_cents, currency, made_at)
  values ('tr_1', 'transfer', '${ID}7', 'po_9', 100, 'usd', now());
  insert into lost_registrations (tx_hash, payer, payee, units) values ('0xee', '0xdd', '0xff', 1);
  insert into restore_evidence (id, kind) values ('${ID}7', 'unknown');
  insert into figures (width_s, at, figure, label, value) values (60, now(), 'orders', 'x', 1);
  insert into operator_actions (operator, action, payment_id, why) values ('op', 'refund', 'pay_1', 'asked');

  insert into sealed_results (intent_id, sealed) values ('${ID}4', '\\x01');
  insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id)
  values ('tk_1', 'key', '\\x01', 'label', 'app_1', 'usr_1', 'prop_1');
  insert into account_logs (prop_account_id, last_position) values ('prop_1', 1);
  insert into account_events (prop_account_id, position, type, data, created_at) values ('prop_1', 1, 'order', '{}', now());
  insert into account_watches (prop_account_id, positions) values ('prop_1', '[]');

  insert into upstream_slots (upstream, slot) values ('miner', 1);
  insert into upstream_proofs (upstream, proven) values ('miner', 1);
  insert into paces (name, taken) values ('signals:e_1', array[now()]);
  insert into wallet_proofs (owner, ex_wallet) values ('ptn_1', '0xcc');
  insert into exit_plans (trader, pair, leg, version, intent_id) values ('0xcc', 'BTC', 'tp', 1, '${ID}4')`;
