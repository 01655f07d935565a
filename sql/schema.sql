-- What the files of sql/ make of an empty database, for reading and for seeing what a change does. Written by npm run schema.

-- Events of a prop account, in commit order, for its event stream.
create table account_events (
  prop_account_id text not null,
  position bigint not null,
  type text not null,
  data jsonb not null,
  created_at timestamp with time zone not null,
  constraint account_events_pkey PRIMARY KEY (prop_account_id, "position"),
  constraint account_events_type_known CHECK ((type = ANY (ARRAY['order'::text, 'position'::text, 'account'::text, 'position.unprotected'::text, 'position.protected'::text])))
);
CREATE INDEX account_events_by_age ON public.account_events USING btree (created_at);

-- The end of each account's event log. A writer locks the row until the commit, so positions have no gaps.
create table account_logs (
  prop_account_id text not null,
  last_position bigint not null,
  constraint account_logs_pkey PRIMARY KEY (prop_account_id)
);

-- Prop accounts whose positions are polled. An account is polled only while it has a listener or a resting order.
create table account_watches (
  prop_account_id text not null,
  listened_until timestamp with time zone not null default '-infinity'::timestamp with time zone, -- A lease: web processes with listeners renew it.
  positions jsonb, -- Open positions as last sent to followers. Null before the first poll.
  version integer not null default 0, -- Incremented by every poll. A poll that was overtaken by another one emits nothing.
  reconciled_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  notified_at timestamp with time zone not null default '-infinity'::timestamp with time zone, -- When they were sent. Mere price changes are not emitted at every poll.
  constraint account_watches_pkey PRIMARY KEY (prop_account_id)
);

-- Actions of operators over HTTP, executed or rejected. Append only: triggers reject update, delete and truncate.
create table admin_audit (
  id bigint generated always as identity not null,
  admin_id text,
  action text not null,
  subject text,
  why text, -- The reason that the request gave, if any.
  detail jsonb not null default '{}'::jsonb,
  address text,
  request_id text,
  at timestamp with time zone not null default now(),
  constraint admin_audit_pkey PRIMARY KEY (id),
  constraint admin_audit_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES admins(id)
);
CREATE INDEX admin_audit_by_admin ON public.admin_audit USING btree (admin_id, at);
CREATE INDEX admin_audit_by_id ON public.admin_audit USING btree ((('a'::text || (id)::text)));
CREATE INDEX admin_audit_by_subject ON public.admin_audit USING btree (subject, at);
CREATE INDEX admin_audit_by_time ON public.admin_audit USING btree (at);

-- Sessions of operators. Only the token's digest is stored.
create table admin_sessions (
  id text not null,
  digest bytea not null,
  admin_id text not null,
  created_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint admin_sessions_pkey PRIMARY KEY (id),
  constraint admin_sessions_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES admins(id),
  constraint admin_sessions_digest_taken UNIQUE (digest)
);
CREATE INDEX admin_sessions_by_age ON public.admin_sessions USING btree (expires_at);

-- Operators of the console.
create table admins (
  id text not null,
  email text not null,
  password_hash text, -- Null until an invitation has been accepted.
  role text not null default 'admin'::text, -- What the operator may do: a viewer reads, support and finance each do more, an admin does everything.
  invitation_digest bytea, -- SHA-256 of the mailed token that sets a password, once.
  invitation_expires_at timestamp with time zone,
  totp_seed bytea, -- Sealed. Until TOTP is enrolled, it waits for its first code.
  totp_step bigint, -- The newest time step whose code was accepted. Only later ones are accepted.
  totp_enrolled_at timestamp with time zone,
  totp_releases integer not null default 0, -- How often another operator restored the attempts at the authenticator code.
  created_at timestamp with time zone not null default now(),
  disabled_at timestamp with time zone,
  constraint admins_pkey PRIMARY KEY (id),
  constraint admins_email_taken UNIQUE (email),
  constraint admins_enrolled_has_seed CHECK (((totp_enrolled_at IS NULL) OR ((totp_seed IS NOT NULL) AND (totp_step IS NOT NULL)))),
  constraint admins_invitation_taken UNIQUE (invitation_digest),
  constraint admins_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'support'::text, 'finance'::text, 'admin'::text])))
);

-- The length of each chain, so that rows missing at its end are detected.
create table agreement_chains (
  app text not null,
  length bigint not null,
  last_hash text not null,
  constraint agreement_chains_pkey PRIMARY KEY (app),
  constraint agreement_chains_app_fkey FOREIGN KEY (app) REFERENCES apps(id)
);

-- The public keys that have signed receipts of agreements. A release without one of them ends with an error: nobody could verify its receipts.
create table agreement_keys (
  kid text not null, -- The id of the key in AGREEMENT_KEYS, and in receipts.
  x text not null, -- The public key, as in its JWK (RFC 8037, section 2).
  signs_since timestamp with time zone not null default now(),
  constraint agreement_keys_pkey PRIMARY KEY (kid)
);

-- Signed agreements. One chain of rows per app: each row contains the hash of the previous row. Append only: triggers reject update, delete and truncate.
create table agreement_signatures (
  id text not null,
  app text not null,
  user_id text not null,
  position bigint not null,
  agreement_version text not null,
  signature_name text not null,
  document_url text,
  document_sha256 text,
  address text, -- The signer's network address, as reported by the app or as seen by this service.
  user_agent text,
  signed_at timestamp(3) with time zone not null,
  previous_hash text not null, -- The row hash of the previous position; 64 zeros at position 1.
  row_hash text not null, -- SHA-256 of the canonical bytes in hexadecimal, see agreement_canonical.
  constraint agreement_signatures_pkey PRIMARY KEY (id),
  constraint agreement_signatures_app_fkey FOREIGN KEY (app) REFERENCES apps(id),
  constraint agreement_signatures_one_chain UNIQUE (app, "position")
);
CREATE INDEX agreement_signatures_by_user ON public.agreement_signatures USING btree (app, user_id, "position");

-- Requests of partners and apps, as the log of a web process has them, without anything that they carried. Of very many in a second only some.
create table api_requests (
  id bigint generated by default as identity not null, -- A number of the owner's own, see record_requests: the owner is shown it, and it must not tell how many requests others made.
  owner text not null,
  at timestamp with time zone not null,
  operation text not null,
  method text not null,
  status smallint not null,
  code text,
  request_id text not null,
  intent_id uuid,
  caller text not null, -- The kind of credential: partner, app, user, trader or ticket.
  ms real not null,
  constraint api_requests_pkey PRIMARY KEY (owner, id)
);
CREATE INDEX api_requests_by_operation ON public.api_requests USING btree (owner, operation, id);
CREATE INDEX api_requests_by_request ON public.api_requests USING btree (hashtextextended(request_id, (0)::bigint));
CREATE INDEX api_requests_failed ON public.api_requests USING btree (owner, id) WHERE (status >= 400);

-- Requests of partners and apps by day (UTC), operation and class of the status, all of them.
create table api_usage (
  owner text not null,
  day date not null,
  operation text not null,
  status_class smallint not null,
  requests bigint not null,
  constraint api_usage_pkey PRIMARY KEY (owner, day, operation, status_class)
);
CREATE INDEX api_usage_by_day ON public.api_usage USING btree (day);

-- Requests for access to v2.
create table app_requests (
  id text not null,
  company_name text not null,
  slug text not null,
  contact_email text not null,
  contact_name text,
  website text,
  use_case text not null,
  status text not null default 'pending'::text,
  app_id text,
  decline_reason text,
  created_at timestamp with time zone not null default now(),
  decided_at timestamp with time zone,
  constraint app_requests_pkey PRIMARY KEY (id),
  constraint app_requests_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint app_requests_approved_has_app CHECK (((status = 'approved'::text) = (app_id IS NOT NULL))),
  constraint app_requests_decided CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint app_requests_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'declined'::text])))
);
CREATE INDEX app_requests_by_age ON public.app_requests USING btree (created_at, id);

-- Client secrets of apps, only as SHA-256 digests. At most one is current.
create table app_secrets (
  id text not null,
  app_id text not null,
  digest bytea not null,
  hint text not null, -- The first characters of the secret, so that people can distinguish secrets.
  created_at timestamp with time zone not null default now(),
  superseded_at timestamp with time zone,
  expires_at timestamp with time zone, -- Set when a new secret replaces it: the end of the overlap.
  last_used_at timestamp with time zone, -- When a request by one of its tokens was last recorded, to the minute.
  constraint app_secrets_pkey PRIMARY KEY (id),
  constraint app_secrets_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint app_secrets_digest_taken UNIQUE (digest)
);
CREATE UNIQUE INDEX app_secrets_one_current ON public.app_secrets USING btree (app_id) WHERE (superseded_at IS NULL);

-- Access tokens of apps. A token is valid until it expires, but not longer than the secret it was issued for.
create table app_tokens (
  digest bytea not null,
  app_id text not null,
  secret_id text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint app_tokens_pkey PRIMARY KEY (digest),
  constraint app_tokens_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint app_tokens_secret_id_fkey FOREIGN KEY (secret_id) REFERENCES app_secrets(id)
);
CREATE INDEX app_tokens_by_age ON public.app_tokens USING btree (expires_at);
CREATE INDEX app_tokens_by_app ON public.app_tokens USING btree (app_id);

-- Requests of operators that need another operator's approval. An approved one permits one execution of exactly this request by who made it.
create table approvals (
  id text not null,
  operation text not null,
  subject text,
  digest bytea not null, -- SHA-256 of the request and of who made it.
  summary jsonb not null, -- The parts of the request, as shown to who decides. Contains no secret.
  reason text,
  role text not null, -- The role that the request needs. Who decides must have it.
  requested_by text not null,
  requested_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  decision text,
  decided_because text,
  used_at timestamp with time zone,
  constraint approvals_pkey PRIMARY KEY (id),
  constraint approvals_by_another CHECK ((decided_by <> requested_by)),
  constraint approvals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES admins(id),
  constraint approvals_decided_whole CHECK ((((decision IS NULL) = (decided_by IS NULL)) AND ((decision IS NULL) = (decided_at IS NULL)))),
  constraint approvals_decision_known CHECK ((decision = ANY (ARRAY['approved'::text, 'rejected'::text]))),
  constraint approvals_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES admins(id),
  constraint approvals_used_approved CHECK (((used_at IS NULL) OR (NOT (decision IS DISTINCT FROM 'approved'::text))))
);
CREATE INDEX approvals_by_time ON public.approvals USING btree (requested_at);
CREATE INDEX approvals_unused ON public.approvals USING btree (digest) WHERE (used_at IS NULL);

-- Tenant apps of v2.
create table apps (
  id text not null, -- Also the client_id of the app.
  slug text not null,
  name text not null,
  contact_email text,
  entity_hotkey text, -- The tenant's network identity. Null: the platform's.
  network_key bytea, -- The key of the tenant's miner, sealed. Null: the platform's miner.
  allowed_scopes text[] not null,
  allowed_origins text[] not null default '{}'::text[], -- Web origins whose pages may use /v2/trading with a trader's key.
  connect_return_url text,
  connect_refresh_url text,
  require_reauthentication boolean not null default false, -- Whether users must have proven their password within 5 minutes before they create a trader key, change their authenticator, or open or change a payout account or submit a payout.
  verification_level text not null default 'none'::text,
  requests_per_minute integer not null default 60000, -- Requests that each web process takes in a minute from the app, its users and its traders together; as many may come at once.
  daily_limits jsonb not null default '{}'::jsonb, -- Daily budgets other than the general ones, by name.
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  disabled_at timestamp with time zone,
  constraint apps_pkey PRIMARY KEY (id),
  constraint apps_daily_limits_named CHECK ((jsonb_typeof(daily_limits) = 'object'::text)),
  constraint apps_entity_hotkey_taken UNIQUE (entity_hotkey),
  constraint apps_hold_a_scope CHECK ((cardinality(allowed_scopes) > 0)),
  constraint apps_network_key_needs_hotkey CHECK (((network_key IS NULL) OR (entity_hotkey IS NOT NULL))),
  constraint apps_quota_positive CHECK (((requests_per_minute >= 1) AND (requests_per_minute <= 10000000))),
  constraint apps_slug_taken UNIQUE (slug),
  constraint apps_verification_level_known CHECK ((verification_level = ANY (ARRAY['none'::text, 'basic'::text, 'full'::text])))
);

-- Changes of the platform's balance that the processor lists for our payments and payouts: the other side of the ledger's proof.
create table balance_changes (
  id text not null, -- The processor's balance transaction.
  subject text not null, -- The payment or payout.
  amount bigint not null, -- Before the fee, in the currency of the balance. Negative: taken from it.
  fee bigint not null,
  currency text not null,
  exchange_rate numeric,
  said_at timestamp with time zone not null,
  read_at timestamp with time zone not null default now(),
  constraint balance_changes_pkey PRIMARY KEY (id)
);
CREATE INDEX balance_changes_by_time ON public.balance_changes USING btree (said_at);
CREATE INDEX balance_changes_of_subject ON public.balance_changes USING btree (subject);

-- Payments and payouts of which the ledger and the changes of the platform's balance differ. A row goes when they agree.
create table balance_differences (
  subject text not null,
  currency text not null,
  posted bigint not null,
  shown bigint not null,
  since timestamp with time zone not null default now(),
  constraint balance_differences_once PRIMARY KEY (subject, currency)
);

-- Until when the processor's list of changes of the platform's balance was read, and from when on.
create table balance_proofs (
  only_row boolean not null default true,
  since timestamp with time zone not null,
  read_until timestamp with time zone not null,
  constraint balance_proofs_pkey PRIMARY KEY (only_row),
  constraint balance_proofs_one_row CHECK (only_row)
);

-- The last reading of each payout account's balance at the processor, and what the ledger held there then.
create table balance_readings (
  account_id text not null,
  currency text not null,
  shown bigint not null,
  posted bigint not null,
  differs_since timestamp with time zone, -- Since when both differ. Null: they agree.
  read_at timestamp with time zone not null,
  constraint balance_readings_once PRIMARY KEY (account_id, currency),
  constraint balance_readings_account_id_fkey FOREIGN KEY (account_id) REFERENCES connect_accounts(id)
);
CREATE INDEX balance_readings_that_differ ON public.balance_readings USING btree (differs_since) WHERE (differs_since IS NOT NULL);

-- Nonces that a no-op was sent for. A later rejection of the nonce as used may be due to that no-op.
create table burnt_nonces (
  signer text not null,
  nonce bigint not null,
  attempted_at timestamp with time zone not null default now(),
  constraint burnt_nonces_pkey PRIMARY KEY (signer, nonce)
);

-- What the code of each version calls in this database, by name. A release takes none of it away from the version before or from a process that runs.
create table code_calls (
  digest text not null, -- SHA-256 of what is called: versions that call alike share a row.
  version text not null,
  calls jsonb not null,
  first_seen_at timestamp with time zone not null default now(),
  released_at timestamp with time zone, -- When a release of it ended last. Null: only processes of it were seen.
  constraint code_calls_pkey PRIMARY KEY (digest)
);

-- Accounts at the processor that receive traders' payouts: one per user, and those that were detached.
create table connect_accounts (
  id text not null,
  owner text not null,
  user_id text not null,
  processor_account_id text not null,
  country text,
  payouts_enabled boolean not null,
  charges_enabled boolean not null,
  details_submitted boolean not null,
  bank_name text,
  last4 text,
  destination text, -- Identifies the bank accounts and cards that the processor showed last; kept when they are removed, so that others are noticed.
  is_abroad boolean not null default false, -- In another country than the platform: under the recipient agreement, in its own currency, and available a day later.
  made_in_session text, -- The session that opened it. It may have been deleted since.
  linked_in_sessions text[] not null default '{}'::text[], -- Sessions that were given a link to its pages at the processor, where its bank account can be changed.
  linked_at timestamp with time zone, -- When the newest of these links was asked for.
  destination_at timestamp with time zone not null default now(), -- When its money began to go where it goes now: it was opened, or the processor showed another bank account.
  detached_at timestamp with time zone, -- No payout goes there any more. The user may open another account.
  detached_because text,
  seen_at timestamp with time zone, -- Time of the state by the processor's clock. Older states change nothing.
  reconciled_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  transfers_enabled boolean not null default true, -- Whether the platform may transfer money to it; the processor decides that apart from whether its money is paid out.
  constraint connect_accounts_pkey PRIMARY KEY (id),
  constraint connect_accounts_detached_has_reason CHECK (((detached_at IS NULL) = (detached_because IS NULL))),
  constraint connect_accounts_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint connect_accounts_processor_id_once UNIQUE (processor_account_id),
  constraint connect_accounts_reason_known CHECK ((detached_because = ANY (ARRAY['user'::text, 'operator'::text, 'quarantine'::text]))),
  constraint connect_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX connect_accounts_attached ON public.connect_accounts USING btree (reconciled_at NULLS FIRST) WHERE (detached_at IS NULL);
CREATE INDEX connect_accounts_of_user ON public.connect_accounts USING btree (user_id);
CREATE UNIQUE INDEX connect_accounts_one_per_user ON public.connect_accounts USING btree (user_id) WHERE (detached_at IS NULL);
CREATE INDEX connect_accounts_unfinished ON public.connect_accounts USING btree (created_at) WHERE (NOT payouts_enabled);
CREATE INDEX connect_accounts_untransferable ON public.connect_accounts USING btree (created_at) WHERE (NOT transfers_enabled);

-- The functions, views and triggers of this database, by the file that defines each.
create table definitions (
  name text not null, -- The name for `drop <kind>`: a trigger with its table.
  kind text not null,
  sha256 text not null, -- SHA-256 of the file. A definition is applied again when its file changes.
  applied_at timestamp with time zone not null default now(),
  constraint definitions_pkey PRIMARY KEY (name),
  constraint definitions_kind_known CHECK ((kind = ANY (ARRAY['function'::text, 'view'::text, 'trigger'::text, 'access'::text])))
);

-- Enrolled exchange wallets, as v1 sessions show them. The current key is the live row of signing_keys.
create table enrollments (
  owner text not null,
  ex_wallet text not null,
  payout_wallet text,
  label text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint enrollments_pkey PRIMARY KEY (owner, ex_wallet)
);
CREATE INDEX enrollments_by_wallet ON public.enrollments USING btree (ex_wallet, owner);

-- The end of the event log of each app and partner. A writer locks the row until the commit, so positions have no gaps.
create table event_logs (
  owner text not null, -- An app or a partner.
  app_id text default 
CASE
    WHEN (NOT starts_with(owner, 'ptn_'::text)) THEN owner
    ELSE NULL::text
END, -- The owner if it is an app. Proves that it exists.
  partner_id text default 
CASE
    WHEN starts_with(owner, 'ptn_'::text) THEN owner
    ELSE NULL::text
END, -- The owner if it is a partner. Proves that it exists.
  last_position bigint not null,
  constraint event_logs_pkey PRIMARY KEY (owner),
  constraint event_logs_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint event_logs_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);

-- Events of an app or a partner, in commit order. Each event is written by the transaction that makes it true.
create table events (
  id text not null,
  owner text not null, -- An app or a partner.
  type text not null,
  position bigint not null,
  created_at timestamp with time zone not null, -- Rises with the position: a time is found by position_since, without an index of its own.
  from_app boolean not null default false, -- Whether the app itself had it sent.
  data text not null, -- The data of the envelope, byte for byte as signed and sent. event_body makes the envelope, always the same.
  constraint events_pkey PRIMARY KEY (id, owner),
  constraint events_position_once UNIQUE (owner, "position")
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX events_by_type ON public.events USING btree (owner, type, "position") WHERE (type <> 'order.updated'::text);

-- How far the executions of exchange wallets are in exchange_fills, and when each wallet is read next.
create table exchange_cursors (
  ex_wallet text not null,
  read_to timestamp with time zone not null, -- The time of the newest execution without a gap before it, at first of the enrollment. Executions are read from here on.
  complete_from timestamp with time zone, -- From when on every execution is in exchange_fills. Later than the enrollment if the exchange no longer lists some.
  due_at timestamp with time zone not null default now(), -- When the wallet is read next: soon while it has orders or positions.
  fills_read_at timestamp with time zone, -- When its executions were last read, whether there were new ones or not. All before that, less what reads may be behind, are known.
  gap_at timestamp with time zone, -- Since when executions are missing between recorded ones; null without a gap.
  funding_read_to timestamp with time zone not null default now(), -- Up to when funding payments are in exchange_funding, but for what reads were behind then.
  read_at timestamp with time zone not null default now(), -- When the wallet was last looked at.
  constraint exchange_cursors_pkey PRIMARY KEY (ex_wallet)
);
CREATE INDEX exchange_cursors_due ON public.exchange_cursors USING btree (due_at);

-- Executions of enrolled exchange wallets and of those with resting orders of ours, as the exchange listed them: each once, whoever placed its order.
create table exchange_fills (
  ex_wallet text not null,
  trade_id bigint not null,
  oid text not null, -- The exchange's number of the order that was executed.
  coin text not null,
  side text not null,
  price numeric not null,
  size numeric not null,
  start_position numeric not null, -- The signed position before the execution, as the exchange reports it. Executions of a coin are chained by it.
  closed_pnl numeric not null,
  fee numeric not null,
  fee_token text not null,
  is_liquidation boolean not null,
  cloid text, -- The client order id of the order; null for one without.
  direction text not null default ''::text,
  leg text, -- Which exit of ours was executed; null for other orders.
  seq bigint generated by default as identity not null, -- The order of executions of a coin within a millisecond: they are written as their positions are chained.
  filled_at timestamp with time zone not null,
  exit_of uuid, -- The order or command that placed the executed exit; null for other orders, and for executions that an earlier release recorded.
  constraint exchange_fills_pkey PRIMARY KEY (ex_wallet, oid, trade_id),
  constraint exchange_fills_leg_known CHECK ((leg = ANY (ARRAY['tp'::text, 'sl'::text]))),
  constraint exchange_fills_side_known CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text]))),
  constraint exchange_fills_wallet_lower CHECK ((ex_wallet = lower(ex_wallet)))
);
CREATE INDEX exchange_fills_by_client_order ON public.exchange_fills USING btree (ex_wallet, cloid, trade_id) WHERE (cloid IS NOT NULL);
CREATE INDEX exchange_fills_by_coin ON public.exchange_fills USING btree (ex_wallet, coin, filled_at, seq);

-- Funding payments of enrolled exchange wallets, as the exchange listed them: each once.
create table exchange_funding (
  ex_wallet text not null,
  coin text not null,
  paid_at timestamp with time zone not null,
  amount_usd numeric not null, -- What the wallet received; negative for what it paid.
  size numeric not null, -- The signed size of the position that it was paid for.
  rate numeric not null, -- The fraction of the position's value; a positive one is paid by long positions.
  constraint exchange_funding_pkey PRIMARY KEY (ex_wallet, coin, paid_at),
  constraint exchange_funding_wallet_lower CHECK ((ex_wallet = lower(ex_wallet)))
);

-- The signed size of each perpetual of exchange wallets as their recorded executions leave it. Reads of the exchange are checked against it.
create table exchange_positions (
  ex_wallet text not null,
  coin text not null,
  size numeric not null,
  filled_at timestamp with time zone, -- The time of the newest execution; null while the size was only read from the account.
  read_at timestamp with time zone not null default now(),
  constraint exchange_positions_pkey PRIMARY KEY (ex_wallet, coin),
  constraint exchange_positions_wallet_lower CHECK ((ex_wallet = lower(ex_wallet)))
);
CREATE INDEX exchange_positions_open ON public.exchange_positions USING btree (ex_wallet) WHERE (size <> (0)::numeric);

-- The newest successful command about a take-profit or stop-loss of an exchange wallet in a pair; pair * stands for all pairs. An earlier command changes nothing any more, even if it is found only later to have acted.
create table exit_plans (
  trader text not null,
  pair text not null,
  leg text not null,
  version bigint not null, -- The position of the command among all intents: commands count in the order of their acceptance.
  intent_id uuid not null,
  oid text, -- The exchange's number of the exit that the command placed; null if it ended the exits.
  replaced text[] not null default '{}'::text[], -- The exchange's numbers of exits that earlier commands placed here and whose cancellation is not submitted yet. They may have been found only after this command had read what rests.
  decided_at timestamp with time zone not null default now(),
  constraint exit_plans_pkey PRIMARY KEY (trader, pair, leg),
  constraint exit_plans_leg_known CHECK ((leg = ANY (ARRAY['tp'::text, 'sl'::text])))
);

-- What the service did, minute by minute and in steps of five minutes, for the charts of the console.
create table figures (
  width_s integer not null,
  at timestamp with time zone not null, -- The start of the step.
  figure text not null,
  label text not null, -- What the figure is about: a venue, another upstream, a state or the code of an error.
  value double precision not null,
  constraint figures_pkey PRIMARY KEY (width_s, at, figure, label),
  constraint figures_width_known CHECK ((width_s = ANY (ARRAY[60, 300])))
);

-- The intent of a caller's Idempotency-Key.
create table idempotency_keys (
  owner text not null,
  key text not null,
  digest bytea not null,
  intent_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (owner, key)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_by_intent ON public.idempotency_keys USING btree (intent_id);

-- Responses of writes that need no intent, stored under the caller's Idempotency-Key. They may contain a secret that is shown once, so they are sealed.
create table idempotent_responses (
  caller text not null,
  key text not null,
  digest bytea not null,
  status integer, -- Null while the first request is in progress, or if it was abandoned.
  sealed bytea,
  created_at timestamp with time zone not null default now(),
  constraint idempotent_responses_pkey PRIMARY KEY (caller, key),
  constraint idempotent_responses_whole CHECK (((status IS NULL) = (sealed IS NULL)))
);
CREATE INDEX idempotent_responses_by_age ON public.idempotent_responses USING btree (created_at);

-- One row per verb: its task, which also reconciles it, and the retention of its settled intents.
create table intent_kinds (
  kind text not null, -- The name of the task, for example network/place.
  upstream text not null, -- The upstream that it writes to.
  venue text, -- The venue of an order verb, by its name in the contract. Null for all other verbs.
  is_exit boolean not null default false, -- Whether it reduces what its trader risks, whatever its request says: a cancellation, a close, protection.
  retention text not null, -- alone: pruned by the intent's age. with_order: pruned with the order it placed. alone_or_with_order: with its order if it placed one, else alone. with_money: never pruned.
  constraint intent_kinds_pkey PRIMARY KEY (kind),
  constraint intent_kinds_retention_known CHECK ((retention = ANY (ARRAY['alone'::text, 'with_order'::text, 'alone_or_with_order'::text, 'with_money'::text])))
);

-- One row per effect to achieve at an upstream. The id is the idempotency key of the effect everywhere.
create table intents (
  id uuid not null,
  position bigint generated always as identity not null,
  created_at timestamp with time zone not null default now(),
  deadline_at timestamp with time zone not null,
  kind text not null, -- The task that executes it, for example network/place.
  owner text not null, -- The partner or app that submitted it.
  lane text,
  alongside text, -- What it is about and in which way, for example BTC-USDC long: it runs beside intents of its lane about something else, or about the same in the same way. Null: it runs alone.
  request jsonb not null,
  digest bytea not null, -- SHA-256 of the request. It distinguishes a repeat from a reuse of the id.
  request_id text,
  given_id uuid, -- The caller's own name of the order that it places; its id is made of it and the owner (order_id_of). Null: the caller gave none.
  is_exit boolean not null default false, -- Whether it reduces what its trader risks: a cancellation, a close, protection, an order that only reduces a position; or, once it asked for a slot, whether exits of its lane waited for it. Exits come first: in the queue, for slots, in budgets, and some pauses let them pass.
  has_turn boolean not null default false, -- Whether it got a job while an earlier intent of its lane was open.
  sender_lost boolean not null default false, -- Whether the worker that marked it as sending ended before the response. Its request may never have left.
  fence integer not null default 0, -- Incremented by every claim. A write with an older fence changes nothing.
  attempts integer not null default 0,
  reconcile_attempts integer not null default 0,
  sending_at timestamp with time zone, -- Set and committed before the first byte may leave. Cleared only if it is proven that none left.
  left_at timestamp with time zone, -- When all of its request had left, if requests at its upstream were counted by proof then (see release_by_proof); else not recorded.
  reached_at timestamp with time zone, -- When the upstream first responded to a look-up after the request was sent: the request no longer waits there.
  answered_at timestamp with time zone, -- When the upstream took the request without reporting what came of it: the request is over there.
  presumed_sent_at timestamp with time zone, -- Of an intent that a restored database shows as unsent: the earliest time at which it may have been sent. It is looked for and never sent.
  upstream text, -- The upstream of limited concurrency whose slot it holds, or waits for while queued.
  pace text, -- While it is queued: what its upstream takes only so many of in a minute (see paces), if it waits for that.
  unknown_because text, -- Why it was last in doubt: a code or sentence of this service, or a code of Node. It stays when the intent ends.
  sent_payload jsonb, -- The exact payload, resolved and committed with sending_at. Reconciliation uses it.
  state text not null default 'queued'::text,
  phase text not null default 
CASE
    WHEN (state = ANY (ARRAY['queued'::text, 'running'::text])) THEN 'pending'::text
    ELSE state
END, -- Its state, and pending for queued and running. Indexes name it instead of the state: an intent that begins to be sent stays in its page.
  waits_at text default 
CASE
    WHEN (state = 'queued'::text) THEN upstream
    ELSE NULL::text
END, -- The upstream of limited concurrency for a slot of which it waits.
  settled_at timestamp with time zone,
  responded_at timestamp with time zone, -- When the response to its request arrived, if it ended it or left its effect open; null if none did. It was at the upstream until then.
  outcome jsonb,
  constraint intents_pkey PRIMARY KEY (id),
  constraint intents_settled_has_outcome CHECK (((state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'expired'::text])) = ((settled_at IS NOT NULL) AND (outcome IS NOT NULL)))),
  constraint intents_state_known CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'in_doubt'::text, 'succeeded'::text, 'failed'::text, 'expired'::text])))
) with (fillfactor=40, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000, autovacuum_analyze_scale_factor=0.02, autovacuum_analyze_threshold=1000);
CREATE INDEX intents_by_request ON public.intents USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX intents_closing ON public.intents USING btree (((request ->> 'trader'::text))) WHERE ((kind = 'network/close'::text) AND (phase = ANY (ARRAY['pending'::text, 'in_doubt'::text])));
CREATE INDEX intents_expired ON public.intents USING btree (created_at) WHERE (phase = 'expired'::text);
CREATE INDEX intents_failed_by_trader ON public.intents USING btree (((request ->> 'trader'::text)), created_at, id) WHERE ((phase = ANY (ARRAY['failed'::text, 'expired'::text])) AND (kind = 'network/place'::text));
CREATE INDEX intents_in_doubt ON public.intents USING btree (lane) WHERE (phase = 'in_doubt'::text);
CREATE INDEX intents_in_lane ON public.intents USING btree (lane text_pattern_ops, "position") WHERE (phase = 'pending'::text);
CREATE INDEX intents_protecting ON public.intents USING btree (lane, created_at) WHERE (kind = 'exchange/protect'::text);
CREATE INDEX intents_settled ON public.intents USING btree (kind, settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX intents_troubled ON public.intents USING btree (created_at) WHERE (phase = ANY (ARRAY['in_doubt'::text, 'failed'::text, 'expired'::text]));
CREATE INDEX intents_undecided ON public.intents USING btree (created_at) WHERE (((outcome -> 'problem'::text) ->> 'effect'::text) = 'unknown'::text);
CREATE INDEX intents_with_turn ON public.intents USING btree (lane) WHERE (has_turn AND (phase = 'pending'::text));
CREATE INDEX intents_without_slot ON public.intents USING btree (waits_at, is_exit DESC, "position") WHERE (waits_at IS NOT NULL);
CREATE INDEX intents_without_slot_by_owner ON public.intents USING btree (waits_at, is_exit, owner, "position") WHERE (waits_at IS NOT NULL);

-- Network addresses from which a user logged in. Attempts from there have a separate budget.
create table known_addresses (
  account text not null,
  address bytea not null, -- SHA-256 of the address.
  seen_at timestamp with time zone not null default now(),
  constraint known_addresses_pkey PRIMARY KEY (account, address)
);
CREATE INDEX known_addresses_by_age ON public.known_addresses USING btree (seen_at);

-- Identity verification of end users, one case per user. Its state follows its newest session at the processor.
create table kyc_cases (
  user_id text not null,
  owner text not null,
  provider text not null,
  session_id text not null, -- The newest session at the processor. Empty: none counts, because a stolen session may have begun it.
  earlier_session_ids text[] not null default '{}'::text[], -- Sessions that a newer one has replaced. One of them can still be verified.
  status text not null default 'unverified'::text,
  status_at timestamp with time zone, -- Time of the status by the processor's clock. Older states change nothing.
  failure_reason text,
  verified_at timestamp with time zone,
  made_in_session text, -- The session of the user that began it. It may have been deleted since.
  reconciled_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint kyc_cases_pkey PRIMARY KEY (user_id),
  constraint kyc_cases_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint kyc_cases_status_known CHECK ((status = ANY (ARRAY['unverified'::text, 'processing'::text, 'needs_input'::text, 'verified'::text, 'failed'::text]))),
  constraint kyc_cases_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint kyc_cases_verified_has_time CHECK (((status = 'verified'::text) = (verified_at IS NOT NULL)))
);
CREATE INDEX kyc_cases_by_earlier_session ON public.kyc_cases USING gin (earlier_session_ids);
CREATE INDEX kyc_cases_by_session ON public.kyc_cases USING btree (session_id);
CREATE INDEX kyc_cases_open ON public.kyc_cases USING btree (created_at) WHERE (verified_at IS NULL);

-- Ordering keys. Only the head of a lane has a job, and those behind it that may run alongside it.
create unlogged table lanes (
  name text not null,
  head uuid,
  constraint lanes_pkey PRIMARY KEY (name)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

-- The accounts of the ledger, one per kind, currency and payout account. Append only.
create table ledger_accounts (
  id bigint generated always as identity not null,
  kind text not null, -- platform: the platform's balance at the processor. receipts, refunds, disputes, fees: of payments. earned, owed: what payouts take of earnings, and owe to traders. exchange: between the platform and payout accounts, also in two currencies. held, overdrawn: at a payout account, and missing there. in_transit, bank: sent to its bank, and paid.
  holder text, -- The payout account at the processor.
  currency text not null,
  constraint ledger_accounts_pkey PRIMARY KEY (id),
  constraint ledger_accounts_currency_lower CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint ledger_accounts_holder_named CHECK (((holder IS NOT NULL) = (kind = ANY (ARRAY['held'::text, 'overdrawn'::text, 'in_transit'::text, 'bank'::text])))),
  constraint ledger_accounts_in_one_currency UNIQUE (id, currency),
  constraint ledger_accounts_kind_known CHECK ((kind = ANY (ARRAY['platform'::text, 'receipts'::text, 'refunds'::text, 'disputes'::text, 'fees'::text, 'earned'::text, 'owed'::text, 'exchange'::text, 'held'::text, 'overdrawn'::text, 'in_transit'::text, 'bank'::text]))),
  constraint ledger_accounts_once UNIQUE NULLS NOT DISTINCT (kind, holder, currency)
);

-- Amounts between two accounts of one currency: no row can be unbalanced. Append only.
create table ledger_entries (
  id bigint generated always as identity not null,
  transaction_id bigint not null,
  debit_id bigint not null,
  credit_id bigint not null,
  currency text not null,
  amount bigint not null, -- In the currency's smallest unit, from the credited to the debited account.
  constraint ledger_entries_pkey PRIMARY KEY (id),
  constraint ledger_entries_amount_positive CHECK ((amount > 0)),
  constraint ledger_entries_between_two CHECK ((debit_id <> credit_id)),
  constraint ledger_entries_credit_same_currency FOREIGN KEY (credit_id, currency) REFERENCES ledger_accounts(id, currency),
  constraint ledger_entries_debit_same_currency FOREIGN KEY (debit_id, currency) REFERENCES ledger_accounts(id, currency),
  constraint ledger_entries_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transactions(id)
);
CREATE INDEX ledger_entries_of_transaction ON public.ledger_entries USING btree (transaction_id);

-- What moved money, once each. Append only.
create table ledger_transactions (
  id bigint generated always as identity not null,
  kind text not null,
  subject text not null, -- The payment or payout whose money it is.
  owner text not null, -- The app.
  source text, -- The processor's object that moved it, if it is known.
  said_at timestamp with time zone not null, -- When it moved by the processor's clock; what only this service does, by ours.
  recorded_at timestamp with time zone not null default clock_timestamp(), -- When it was recorded here.
  constraint ledger_transactions_pkey PRIMARY KEY (id),
  constraint ledger_transactions_kind_known CHECK ((kind = ANY (ARRAY['payment'::text, 'refund'::text, 'dispute'::text, 'fee'::text, 'exchange'::text, 'reservation'::text, 'transfer'::text, 'arrival'::text, 'bank'::text]))),
  constraint ledger_transactions_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id)
);
CREATE INDEX ledger_transactions_by_time ON public.ledger_transactions USING btree (said_at, id);
CREATE UNIQUE INDEX ledger_transactions_of_source ON public.ledger_transactions USING btree (kind, source) WHERE (kind = ANY (ARRAY['arrival'::text, 'fee'::text, 'exchange'::text]));
CREATE INDEX ledger_transactions_of_subject ON public.ledger_transactions USING btree (subject);

-- Mailed codes that allow further attempts at an authenticator code after too many wrong ones.
create table login_codes (
  user_id text not null,
  scope bytea not null, -- SHA-256 of the user's known network, or of all unknown ones together: unknown callers do not replace the code of the owner.
  hmac bytea not null, -- Keyed digest of the code.
  attempts_left integer not null,
  expires_at timestamp with time zone not null,
  constraint login_codes_pkey PRIMARY KEY (user_id, scope),
  constraint login_codes_attempts_counted CHECK ((attempts_left >= 0)),
  constraint login_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX login_codes_by_age ON public.login_codes USING btree (expires_at);

-- Payments and transfers that the processor had when this database was recovered from a backup, and this database did not. A lost transfer counts as paid to its receiver.
create table lost_money (
  processor_id text not null, -- The payment intent or transfer at the processor.
  kind text not null, -- What it is: money of a customer, or money to a connected account.
  intent_id uuid not null, -- The intent that moved it, whose row is lost.
  subject_id text not null, -- The id of the payment or payout, whose row is lost.
  amount_cents integer not null, -- What was requested, or transferred and not reversed, in the currency's smallest unit.
  currency text not null, -- ISO 4217, lower case.
  status text, -- Of a payment: its status when it was read.
  processor_account_id text, -- Of a transfer: the connected account that received it.
  user_id text, -- Who pays, by the payment's metadata, or who receives, by those of the account. That account may be lost here as well.
  app text, -- Of a payment: the app, by its metadata.
  made_at timestamp with time zone not null, -- By the processor's clock.
  found_at timestamp with time zone not null default now(), -- When the processor was last read.
  closed_at timestamp with time zone, -- When an operator had done what it needs. Null: it waits for that, or was paid since.
  constraint lost_money_pkey PRIMARY KEY (processor_id),
  constraint lost_money_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'transfer'::text])))
);
CREATE INDEX lost_money_by_account ON public.lost_money USING btree (processor_account_id) WHERE (kind = 'transfer'::text);

-- Orders that a venue had when this database was recovered from a backup, and this database did not: their requests are lost. A retry under the same id is looked for and never sent.
create table lost_orders (
  id uuid not null, -- The id of the order at its venue: the id of the intent that was lost.
  found_at timestamp with time zone not null default now(), -- When the venue was read.
  constraint lost_orders_pkey PRIMARY KEY (id)
);

-- Payments to the registrar that the chain showed when this database was recovered from a backup, and this database did not: also those of other software. Their payer buys nothing more until an operator releases them.
create table lost_registrations (
  tx_hash text not null, -- The transaction on chain. It may pay for several payers.
  payer text not null,
  payee text not null,
  units numeric not null, -- What the payer paid in it, in the token's smallest unit.
  found_at timestamp with time zone not null default now(), -- When the chain was last read.
  released_at timestamp with time zone, -- When an operator found what the payment was for. Null: its payer's purchases are rejected.
  constraint lost_registrations_pkey PRIMARY KEY (tx_hash, payer),
  constraint lost_registrations_hash_lower CHECK ((tx_hash = lower(tx_hash))),
  constraint lost_registrations_payer_lower CHECK ((payer = lower(payer)))
);
CREATE INDEX lost_registrations_by_payer ON public.lost_registrations USING btree (payer) WHERE (released_at IS NULL);

-- Mails to send, each written by the transaction that causes it. The id determines the Message-ID.
create table mails (
  id uuid not null,
  template text not null, -- The name of the text. none: not sent; written so that an unknown address costs as much as a known one.
  owner text, -- The app that a mail was written for, if it is notified of the mail's end. user_id: the user that it is addressed to.
  tenant text, -- The app or partner in whose name it is sent, or whose contact it informs. While that is disabled, it waits.
  user_id text,
  recipient text not null,
  data jsonb not null,
  secret bytea, -- A code or link, sealed. Wiped when the mail ends.
  state text not null default 'queued'::text,
  attempts integer not null default 0,
  fault text, -- Why the last attempt failed, as a code of this service.
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null, -- Not sent after this time: its code or link is no longer valid.
  ended_at timestamp with time zone,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_ended_at_end CHECK (((state = 'queued'::text) = (ended_at IS NULL))),
  constraint mails_ended_hold_no_secret CHECK (((state = 'queued'::text) OR (secret IS NULL))),
  constraint mails_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint mails_state_known CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'refused'::text, 'expired'::text])))
);
CREATE INDEX mails_by_age ON public.mails USING btree (created_at);
CREATE INDEX mails_given_up ON public.mails USING btree (id) WHERE (state = ANY (ARRAY['refused'::text, 'expired'::text]));
CREATE INDEX mails_waiting ON public.mails USING btree (tenant) WHERE (state = 'queued'::text);

-- The numbered files of sql/ that were applied.
create table migrations (
  id integer not null default nextval('migrations_id_seq'::regclass),
  name character varying(255) not null,
  run_on timestamp without time zone not null,
  sha256 text, -- SHA-256 of the file as it was applied. A file that was edited since is rejected: the edit would not reach this database.
  constraint migrations_pkey PRIMARY KEY (id)
);

-- The one valid code of an address. An address without an unverified user also gets one, which nothing matches, so that responses do not differ.
create table one_time_codes (
  app_id text not null,
  email text not null,
  hmac bytea, -- Keyed digest of the code.
  attempts_left integer not null,
  tries jsonb not null default '{}'::jsonb, -- Attempts by the SHA-256 of the network that they came from, in hex.
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint one_time_codes_pkey PRIMARY KEY (app_id, email),
  constraint one_time_codes_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint one_time_codes_attempts_counted CHECK ((attempts_left >= 0))
);
CREATE INDEX one_time_codes_by_age ON public.one_time_codes USING btree (expires_at);

-- Actions of operators, executed or rejected. Append only: triggers reject update, delete and truncate.
create table operator_actions (
  id bigint generated always as identity not null,
  operator text not null, -- Over HTTP admin:<id>. In psql the database role that connected; the name it gave is in detail, as a note.
  action text not null,
  subject text, -- The object of the action if it is neither an account nor a payment.
  payment_id text,
  prop_account_id text,
  why text not null,
  detail jsonb not null default '{}'::jsonb, -- The result. Contains no secret.
  at timestamp with time zone not null default now(),
  constraint operator_actions_pkey PRIMARY KEY (id),
  constraint operator_actions_known CHECK ((action = ANY (ARRAY['provision_again'::text, 'attach'::text, 'refund'::text, 'reinstate'::text, 'abandon'::text, 'rerun'::text, 'pause'::text, 'end_pause'::text, 'rerun_job'::text, 'retry_delivery'::text, 'retry_deliveries'::text, 'reverse_payout'::text, 'resolve_payout'::text, 'move_link'::text, 'release_registration'::text, 'dismiss_event'::text, 'dismiss'::text, 'detach_payout_account'::text, 'disable_operator'::text, 'enable_operator'::text, 'end_operator_sessions'::text, 'remove_operator_authenticator'::text]))),
  constraint operator_actions_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint operator_actions_prop_account_id_fkey FOREIGN KEY (prop_account_id) REFERENCES prop_accounts(id),
  constraint operator_actions_who_said CHECK ((operator ~ '\S'::text)),
  constraint operator_actions_why_said CHECK ((why ~ '\S'::text))
);
CREATE INDEX operator_actions_by_id ON public.operator_actions USING btree ((('o'::text || (id)::text)));
CREATE INDEX operator_actions_by_subject ON public.operator_actions USING btree (COALESCE(subject, prop_account_id, payment_id), at);
CREATE INDEX operator_actions_by_time ON public.operator_actions USING btree (at);
CREATE INDEX operator_actions_of_account ON public.operator_actions USING btree (prop_account_id);
CREATE INDEX operator_actions_of_payment ON public.operator_actions USING btree (payment_id);

-- Orders in their present state. The state of the intent says whether an order was accepted.
create table orders (
  id uuid not null, -- The id of the intent that placed it. Also the network's order uuid and the exchange's cloid.
  created_at timestamp with time zone not null default now(),
  venue text not null, -- The venue of the verb that placed it, as in intent_kinds.
  owner text not null,
  trader text not null,
  pair text not null,
  handle text, -- The venue's id of the order if it is not the id of this row, because the venue created it with another order.
  given_id uuid, -- Its owner's own name of it, as in its intent. The venue has the id.
  terms jsonb, -- The present terms, with every edit the venue has accepted. Null: as the request of its intent has them; see terms_of.
  lifecycle text,
  absent_since timestamp with time zone, -- When the venue's complete records first lacked a resting order that they have not shown since.
  executed jsonb,
  protection jsonb, -- The result of the exits that a network order carried: state none, placed or failed, and the error.
  is_resting boolean not null default (NOT (lifecycle IS DISTINCT FROM 'resting'::text)),
  has_waiting_triggers boolean not null default (NOT ((executed ->> 'trigger_status'::text) IS DISTINCT FROM 'pending_parent_fill'::text)),
  exchange_number text default 
CASE
    WHEN (venue = 'exvenue'::text) THEN (executed ->> 'ex_order_id'::text)
    ELSE NULL::text
END,
  ended_at timestamp with time zone, -- When it was found filled, cancelled or ended. Null: it has not been, or it was before this was recorded.
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_lifecycle_known CHECK ((lifecycle = ANY (ARRAY['resting'::text, 'filled'::text, 'cancelled'::text, 'ended'::text])))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000, autovacuum_analyze_scale_factor=0.02, autovacuum_analyze_threshold=1000);
CREATE INDEX orders_by_exchange_number ON public.orders USING btree (exchange_number) WHERE (exchange_number IS NOT NULL);
CREATE INDEX orders_by_trader ON public.orders USING btree (trader, created_at);
CREATE UNIQUE INDEX orders_handle_once ON public.orders USING btree (trader, handle) WHERE (handle IS NOT NULL);
CREATE INDEX orders_resting ON public.orders USING btree (trader) WHERE is_resting;
CREATE INDEX orders_with_waiting_triggers ON public.orders USING btree (trader) WHERE has_waiting_triggers;

-- The network of the exchange and the chain of the registrar at which the orders and purchases of this database are. No process with another one starts.
create table own_networks (
  setting text not null, -- The setting that names it.
  network text not null, -- The first that a process has noted; after a deliberate move, delete the row.
  known_since timestamp with time zone not null default now(),
  constraint own_networks_pkey PRIMARY KEY (setting)
);

-- What an upstream takes only so many of in a minute, for example the signals of a trader: when the latest were sent.
create unlogged table paces (
  name text not null,
  taken timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  constraint paces_pkey PRIMARY KEY (name)
) with (fillfactor=50);

-- API keys of partners, as SHA-256 digests only.
create table partner_keys (
  id text not null,
  partner_id text not null,
  digest bytea not null,
  hint text not null, -- The first characters of the key, so that people can distinguish keys.
  label text,
  rolled_from text, -- The key that the partner replaced by it.
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone, -- Set when the partner rolls it: the end of the overlap. Such a key rolls nothing.
  last_used_at timestamp with time zone, -- To the minute, as far as requests are recorded.
  revoked_at timestamp with time zone,
  constraint partner_keys_pkey PRIMARY KEY (id),
  constraint partner_keys_digest_taken UNIQUE (digest),
  constraint partner_keys_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint partner_keys_rolled_from_fkey FOREIGN KEY (rolled_from) REFERENCES partner_keys(id)
);
CREATE INDEX partner_keys_by_partner ON public.partner_keys USING btree (partner_id);

-- Partners: the callers of v1.
create table partners (
  id text not null,
  name text not null,
  contact_email text, -- Who is notified that one of its webhook endpoints was deactivated.
  requests_per_minute integer not null default 60000, -- Requests that each web process takes from the partner in a minute; as many may come at once.
  daily_limits jsonb not null default '{}'::jsonb, -- Daily budgets other than the general ones, by name.
  created_at timestamp with time zone not null default now(),
  disabled_at timestamp with time zone,
  constraint partners_pkey PRIMARY KEY (id),
  constraint partners_daily_limits_named CHECK ((jsonb_typeof(daily_limits) = 'object'::text)),
  constraint partners_quota_positive CHECK (((requests_per_minute >= 1) AND (requests_per_minute <= 10000000)))
);

-- The one valid password reset token of an address.
create table password_resets (
  app_id text not null,
  email text not null,
  user_id text,
  digest bytea not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint password_resets_pkey PRIMARY KEY (app_id, email),
  constraint password_resets_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX password_resets_by_age ON public.password_resets USING btree (expires_at);

-- Upstreams to which, and partners and apps for which, nothing new is sent until an operator ends it. What was sent goes on.
create table pauses (
  subject text not null, -- An upstream as in intent_kinds, a partner or an app.
  holds_exits boolean not null default false, -- Whether it also holds what reduces a risk: cancellations, closes, protection.
  reason text not null,
  paused_by text not null,
  paused_at timestamp with time zone not null default now(),
  constraint pauses_pkey PRIMARY KEY (subject)
);

-- What the processor last reported of each object that takes money from a payment.
create table payment_losses (
  processor_id text not null, -- The charge, whose amount is the cumulative figure of its refunds; the refund; or the dispute.
  payment_id text not null,
  kind text not null,
  amount_cents integer not null,
  status text,
  is_live boolean not null, -- Whether it takes its amount now. A failed refund and a won dispute have given it back.
  rank integer not null, -- The order of its states, see loss_state.
  made_at timestamp with time zone,
  said_at timestamp with time zone not null,
  accepted_cents integer not null default 0, -- The part in spite of which an operator has let the account trade.
  constraint payment_losses_pkey PRIMARY KEY (processor_id),
  constraint payment_losses_amount_possible CHECK ((amount_cents >= 0)),
  constraint payment_losses_kind_known CHECK ((kind = ANY (ARRAY['charge'::text, 'refund'::text, 'dispute'::text]))),
  constraint payment_losses_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE INDEX payment_losses_disputes ON public.payment_losses USING btree (status) WHERE (kind = 'dispute'::text);
CREATE INDEX payment_losses_of_payment ON public.payment_losses USING btree (payment_id);

-- Checkouts. The state of the intent says whether the processor has the payment; the ledger holds its money.
create table payments (
  id text not null,
  owner text not null, -- The app.
  user_id text not null,
  tier_id text not null,
  market text not null,
  asset_class text not null,
  account_size numeric not null,
  amount_cents integer not null,
  currency text not null,
  intent_id uuid not null,
  processor_payment_intent_id text,
  sealed_client_secret bytea, -- The secret with which the buyer's browser completes this payment, sealed. Deleted once nothing can be paid with it.
  status text not null default 'pending'::text, -- The processor's status. pending: the processor does not have the payment yet. failed: it rejected the payment.
  status_at timestamp with time zone, -- Time of the status by the processor's clock. Older states change nothing.
  received_currency text, -- The currency that the money was received in, and of its refunds and disputes. Null: nothing was received.
  failure_code text,
  paid_at timestamp with time zone,
  amount_differs boolean not null default false, -- Cleared in another amount or currency than requested: no account is created for it.
  stopped_for text, -- Why its account must not trade: a loss that no operator has accepted, or a refund of unknown effect. Null: it may.
  refund_intent_id uuid, -- The newest refund that an operator requested.
  refunded_at timestamp with time zone,
  disputed_at timestamp with time zone,
  returned_at timestamp with time zone, -- When nothing of it was held any more. Null: something is, or nothing was received.
  reconciled_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_amount_positive CHECK ((amount_cents > 0)),
  constraint payments_one_per_intent UNIQUE (intent_id),
  constraint payments_one_refund UNIQUE (refund_intent_id),
  constraint payments_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint payments_paid_has_time CHECK (((status = 'succeeded'::text) = (paid_at IS NOT NULL))),
  constraint payments_processor_id_once UNIQUE (processor_payment_intent_id),
  constraint payments_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'requires_payment_method'::text, 'requires_confirmation'::text, 'requires_action'::text, 'processing'::text, 'requires_capture'::text, 'succeeded'::text, 'canceled'::text, 'failed'::text]))),
  constraint payments_stop_known CHECK ((stopped_for = ANY (ARRAY['refunded'::text, 'disputed'::text, 'under_review'::text]))),
  constraint payments_tier_id_fkey FOREIGN KEY (tier_id) REFERENCES tiers(id),
  constraint payments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX payments_by_time ON public.payments USING btree (created_at, id);
CREATE INDEX payments_kept ON public.payments USING btree (paid_at) WHERE ((stopped_for IS NOT NULL) AND (returned_at IS NULL));
CREATE INDEX payments_kept_unpaid ON public.payments USING btree (created_at) WHERE ((paid_at IS NULL) AND (received_currency IS NOT NULL));
CREATE INDEX payments_of_app ON public.payments USING btree (owner, created_at, id);
CREATE INDEX payments_of_other_amounts ON public.payments USING btree (paid_at) WHERE amount_differs;
CREATE INDEX payments_of_user ON public.payments USING btree (user_id, created_at);
CREATE INDEX payments_open ON public.payments USING btree (created_at) WHERE (paid_at IS NULL);

-- Each movement of a payout's money that was requested of the processor. A payout to the bank that failed is followed by another, or by a reversal.
create table payout_steps (
  intent_id uuid not null,
  position bigint generated always as identity not null, -- The order of the steps: the clock of the database may be set back.
  payout_id text not null,
  step text not null,
  state text not null default 'under_way'::text, -- sent: the processor has it and the bank has not. unsent: nothing left. unknown: the processor never reported the effect; no further step is taken until an operator has resolved it.
  amount_cents bigint not null, -- In the currency of this step: what the trader's account holds may be another one than was transferred.
  currency text not null,
  reversed_before integer not null default 0, -- Of a reversal: what was reversed when it was requested.
  processor_id text,
  failure_reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  reconciled_at timestamp with time zone,
  kept_from text, -- The payout that was to take this one back from the bank, and that the bank refused.
  constraint payout_steps_pkey PRIMARY KEY (intent_id),
  constraint payout_steps_amount_positive CHECK ((amount_cents > 0)),
  constraint payout_steps_known CHECK ((step = ANY (ARRAY['transfer'::text, 'payout'::text, 'reversal'::text]))),
  constraint payout_steps_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  constraint payout_steps_processor_id_once UNIQUE (processor_id),
  constraint payout_steps_state_known CHECK ((state = ANY (ARRAY['under_way'::text, 'unsent'::text, 'sent'::text, 'done'::text, 'failed'::text, 'unknown'::text])))
);
CREATE INDEX payout_steps_kept ON public.payout_steps USING btree (payout_id) WHERE (kept_from IS NOT NULL);
CREATE INDEX payout_steps_of_payout ON public.payout_steps USING btree (payout_id, created_at);
CREATE UNIQUE INDEX payout_steps_one_at_a_time ON public.payout_steps USING btree (payout_id) WHERE (state = ANY (ARRAY['under_way'::text, 'sent'::text, 'unknown'::text]));
CREATE INDEX payout_steps_paid ON public.payout_steps USING btree (ended_at) WHERE ((step = 'payout'::text) AND (state = 'done'::text));
CREATE INDEX payout_steps_sent ON public.payout_steps USING btree (created_at) WHERE (state = 'sent'::text);
CREATE INDEX payout_steps_unknown ON public.payout_steps USING btree (payout_id) WHERE (state = 'unknown'::text);

-- Payouts to traders: a transfer to the trader's account at the processor, and a payout from there to its bank. The ledger holds their money.
create table payouts (
  id text not null,
  owner text not null,
  user_id text not null,
  prop_account_id text not null,
  connect_account_id text not null,
  amount_cents integer not null,
  currency text not null,
  status text not null default 'pending'::text, -- Follows from its steps, see settle_payout.
  failure_reason text,
  emitted_failure text, -- The failure that the last event reported. Null: none since it was last completed.
  processor_transfer_id text,
  arrival_id text, -- The payment that the trader's account received by the transfer.
  is_unread boolean not null default false, -- Money was transferred or came back since it was last read what its account received and gave back.
  pay_after timestamp with time zone, -- When its next step is requested: its money is not available at the trader's account before, or the platform or the processor is waited for. Null: nothing to wait for.
  delayed_for text, -- Why its step waits, if that is not its own fault: the processor's or the platform's. Null: it does not.
  delayed_since timestamp with time zone,
  made_in_session text, -- The session that requested it. It may have been deleted since.
  requested_at timestamp with time zone not null default now(),
  submitted_at timestamp with time zone,
  completed_at timestamp with time zone,
  canceled_at timestamp with time zone, -- When its user canceled it. Its transfer was not sent before and is not sent afterwards.
  reconciled_at timestamp with time zone, -- When that was last requested.
  constraint payouts_pkey PRIMARY KEY (id),
  constraint payouts_amount_positive CHECK ((amount_cents > 0)),
  constraint payouts_connect_account_id_fkey FOREIGN KEY (connect_account_id) REFERENCES connect_accounts(id),
  constraint payouts_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint payouts_prop_account_id_fkey FOREIGN KEY (prop_account_id) REFERENCES prop_accounts(id),
  constraint payouts_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'submitted'::text, 'transferred'::text, 'completed'::text, 'failed'::text, 'reversed'::text, 'canceled'::text]))),
  constraint payouts_transfer_once UNIQUE (processor_transfer_id),
  constraint payouts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX payouts_by_account ON public.payouts USING btree (prop_account_id);
CREATE INDEX payouts_by_arrival ON public.payouts USING btree (arrival_id) WHERE (arrival_id IS NOT NULL);
CREATE INDEX payouts_by_time ON public.payouts USING btree (requested_at, id);
CREATE INDEX payouts_delayed ON public.payouts USING btree (delayed_since) WHERE (delayed_since IS NOT NULL);
CREATE INDEX payouts_of_app ON public.payouts USING btree (owner, requested_at, id);
CREATE INDEX payouts_of_user ON public.payouts USING btree (user_id, requested_at);
CREATE INDEX payouts_stranded ON public.payouts USING btree (submitted_at) WHERE ((status = ANY (ARRAY['failed'::text, 'transferred'::text])) AND (processor_transfer_id IS NOT NULL));
CREATE INDEX payouts_unread_arrivals ON public.payouts USING btree (reconciled_at NULLS FIRST) WHERE is_unread;
CREATE INDEX payouts_waiting ON public.payouts USING btree (pay_after) WHERE (pay_after IS NOT NULL);

-- Running processes, as each describes itself every few seconds. A process that ends deletes its row; one that was killed is seen no more.
create table processes (
  id uuid not null,
  kind text not null,
  instance text not null, -- Its host and its number there.
  version text not null,
  calls text not null,
  settings jsonb not null, -- A fingerprint of each setting by name, to compare processes. No value can be told from it.
  sealing_keys text[] not null, -- The ids of its keyring, the active one first.
  agreement_keys text[] not null,
  clock_ahead_s double precision,
  failing_checks text[] not null default '{}'::text[], -- Why it is not ready. Empty: it is.
  reach jsonb not null default '[]'::jsonb, -- Its latest calls to each upstream: whether the last one had a response, since when, and the last success.
  paused text[] not null default '{}'::text[], -- Upstreams that rejected its credentials: it leaves their work to other processes.
  serves text[] not null default '{}'::text[], -- Upstreams whose work it takes.
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  constraint processes_pkey PRIMARY KEY (id),
  constraint processes_calls_fkey FOREIGN KEY (calls) REFERENCES code_calls(digest),
  constraint processes_kind_known CHECK ((kind = ANY (ARRAY['web'::text, 'worker'::text])))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);

-- The account at the processor in which the payments and payouts of this database are. A process whose key is of another one sends nothing there.
create table processor_accounts (
  id text not null, -- Its id at the processor. The first that a process has noted; after a move, delete the former.
  is_live boolean not null, -- Whether it is used with live keys: what is made with test keys is apart.
  known_since timestamp with time zone not null default now(),
  constraint processor_accounts_pkey PRIMARY KEY (id, is_live)
);

-- The sweep over the processor's list of events, which is read from the newest event back to the last sweep.
create table processor_cursor (
  only_row boolean not null default true,
  sweep integer not null default 1, -- The number of the sweep. A writer of an earlier sweep moves nothing.
  opened_at timestamp with time zone not null default now(), -- The first page was read after this time.
  since timestamp with time zone not null, -- Older events are not read.
  after_event text, -- The oldest event read so far. Moves with every page.
  is_read boolean not null default false,
  constraint processor_cursor_pkey PRIMARY KEY (only_row),
  constraint processor_cursor_one_row CHECK (only_row)
);

-- Events of the processor, from notifications or from its list. Each is stored once, before it is applied.
create table processor_events (
  id text not null,
  type text not null,
  said_at timestamp with time zone not null, -- Time by the processor's clock, to the second.
  fact jsonb not null, -- The part of the event that the service acts on. No personal data is stored.
  object_id text, -- The processor's id of the object by which our rows name it. Null if the event is about nothing that the service follows.
  source text not null,
  payment_id text,
  outcome text, -- Null: still to be applied. not_ours: no row names its object; it is taken up again only if a row comes to name it. unreadable: a member is missing or impossible; nothing was applied.
  received_at timestamp with time zone not null default now(),
  acted_at timestamp with time zone,
  closed_at timestamp with time zone, -- Of an unreadable event: when an operator closed it. Until then it stops the account it is about, and it is not deleted.
  closed_by text,
  closed_why text,
  constraint processor_events_pkey PRIMARY KEY (id),
  constraint processor_events_outcome_known CHECK ((outcome = ANY (ARRAY['applied'::text, 'stale'::text, 'not_ours'::text, 'unreadable'::text]))),
  constraint processor_events_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint processor_events_source_known CHECK ((source = ANY (ARRAY['notified'::text, 'listed'::text])))
);
CREATE INDEX processor_events_by_age ON public.processor_events USING btree (received_at);
CREATE INDEX processor_events_of_nobody ON public.processor_events USING btree (object_id) WHERE ((outcome = 'not_ours'::text) AND (object_id IS NOT NULL));
CREATE INDEX processor_events_of_payment ON public.processor_events USING btree (payment_id, said_at);
CREATE INDEX processor_events_open ON public.processor_events USING btree (received_at) WHERE (acted_at IS NULL);
CREATE INDEX processor_events_suspected ON public.processor_events USING btree (said_at) WHERE ((closed_at IS NULL) AND (((fact ->> 'about'::text) = 'warning'::text) OR ((type = 'payment_intent.succeeded'::text) AND (outcome = 'not_ours'::text) AND ((fact ->> 'paymentId'::text) IS NOT NULL))));
CREATE INDEX processor_events_unclosed ON public.processor_events USING btree (object_id) WHERE ((outcome = 'unreadable'::text) AND (closed_at IS NULL));
CREATE INDEX processor_events_unreadable ON public.processor_events USING btree (received_at) WHERE (outcome = 'unreadable'::text);

-- Prop accounts of end users: at most one per paid payment, and at most one ever per user and free tier.
create table prop_accounts (
  id text not null,
  owner text not null,
  user_id text not null,
  tier_id text not null,
  payment_id text,
  market text not null,
  asset_class text not null,
  account_size numeric not null,
  status text not null,
  failure_reason text, -- Why it never became tradeable, or why it was stopped: a code of this service or of the network.
  breach jsonb, -- Of an account that the network eliminated: the rule that it broke and its figures there, in percent. Null: the network showed none that was broken.
  intent_id uuid, -- The intent that creates its subaccount. Null if the money was returned before one was requested.
  synthetic_hotkey text,
  upstream_status text, -- What the network said when it was read last: shown to operators, and decides nothing.
  upstream_bucket text, -- Whether it was in its challenge or funded there. Like upstream_status.
  synced_at timestamp with time zone,
  sync_after timestamp with time zone not null default now(), -- The sweep syncs it again after this time.
  created_at timestamp with time zone not null default now(),
  status_at timestamp with time zone not null default now(),
  abandoned_at timestamp with time zone, -- An operator has resolved the case: the account is never created, and no list of failed accounts shows it.
  abandoned_by text,
  abandoned_why text,
  shown_at timestamp with time zone, -- The time of the newest state that the network showed, by its clock. For ten minutes, states that are older change nothing.
  constraint prop_accounts_pkey PRIMARY KEY (id),
  constraint prop_accounts_abandoned_failed CHECK (((abandoned_at IS NULL) OR (status = 'subaccount_failed'::text))),
  constraint prop_accounts_abandoned_whole CHECK ((((abandoned_at IS NULL) = (abandoned_by IS NULL)) AND ((abandoned_at IS NULL) = (abandoned_why IS NULL)))),
  constraint prop_accounts_one_per_intent UNIQUE (intent_id),
  constraint prop_accounts_one_per_payment UNIQUE (payment_id),
  constraint prop_accounts_one_per_subaccount UNIQUE (synthetic_hotkey),
  constraint prop_accounts_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint prop_accounts_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint prop_accounts_status_known CHECK ((status = ANY (ARRAY['provisioning'::text, 'evaluation'::text, 'funded'::text, 'eliminated'::text, 'subaccount_failed'::text]))),
  constraint prop_accounts_synthetic_hotkey_fkey FOREIGN KEY (synthetic_hotkey) REFERENCES subaccounts(synthetic_hotkey),
  constraint prop_accounts_tier_id_fkey FOREIGN KEY (tier_id) REFERENCES tiers(id),
  constraint prop_accounts_tradeable_has_subaccount CHECK (((status <> ALL (ARRAY['evaluation'::text, 'funded'::text])) OR (synthetic_hotkey IS NOT NULL))),
  constraint prop_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX prop_accounts_due ON public.prop_accounts USING btree (sync_after) WHERE ((status = ANY (ARRAY['provisioning'::text, 'evaluation'::text, 'funded'::text])) AND (synthetic_hotkey IS NOT NULL));
CREATE INDEX prop_accounts_failed ON public.prop_accounts USING btree (owner, created_at) WHERE (status = 'subaccount_failed'::text);
CREATE INDEX prop_accounts_of_user ON public.prop_accounts USING btree (user_id, created_at);
CREATE UNIQUE INDEX prop_accounts_one_free ON public.prop_accounts USING btree (user_id, tier_id) WHERE (payment_id IS NULL);
CREATE INDEX prop_accounts_unfulfilled ON public.prop_accounts USING btree (created_at) WHERE ((payment_id IS NOT NULL) AND (status = ANY (ARRAY['provisioning'::text, 'subaccount_failed'::text])));

-- Each time that this database was restored from a backup and recovered. What happened from since to recovered_at is missing in it.
create table recoveries (
  id bigint generated always as identity not null,
  since timestamp with time zone not null, -- The time of the backup.
  recovered_at timestamp with time zone not null default now(),
  constraint recoveries_pkey PRIMARY KEY (id)
);

-- Keys of the payment chain, sealed. A row exists from acceptance until the signed payment is stored or its intent ends.
create table registration_keys (
  registration_id uuid not null,
  sealed bytea not null,
  constraint registration_keys_pkey PRIMARY KEY (registration_id),
  constraint registration_keys_registration_id_fkey FOREIGN KEY (registration_id) REFERENCES registrations(id)
);

-- One row per purchase of a registration. At most one per owner and address is open.
create table registrations (
  id uuid not null, -- The intent that pays. The nonce of the payment's authorization is derived from it.
  owner text not null,
  ex_address text not null,
  miner_slug text not null,
  account_size integer not null,
  payer text not null,
  status text not null default 'pending'::text,
  tx_hash text, -- The payment on chain. Once known, it is never changed or removed.
  problem text, -- The error code, if it failed.
  message text,
  estimated_time text,
  polls integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  paid_at timestamp with time zone,
  released_at timestamp with time zone, -- When an operator let its address register again, although it was paid and never recorded.
  absent_since timestamp with time zone, -- Since when the registrar, each time it responded, did not know the registration. What passes while nobody asks, or it does not respond, is no part of it.
  absent_at timestamp with time zone, -- When it last responded so.
  synthetic_hotkey text, -- The account that the network last showed for its address. Once that is eliminated, the network finds it by this name alone.
  constraint registrations_pkey PRIMARY KEY (id),
  constraint registrations_address_lower CHECK ((ex_address = lower(ex_address))),
  constraint registrations_paid_by_hash CHECK (((tx_hash IS NULL) = (paid_at IS NULL))),
  constraint registrations_payer_lower CHECK ((payer = lower(payer))),
  constraint registrations_size_positive CHECK ((account_size > 0)),
  constraint registrations_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'registered'::text, 'active'::text, 'failed'::text, 'eliminated'::text, 'deregistered'::text])))
);
CREATE INDEX registrations_by_address ON public.registrations USING btree (owner, ex_address, created_at);
CREATE INDEX registrations_by_wallet ON public.registrations USING btree (ex_address);
CREATE UNIQUE INDEX registrations_one_live ON public.registrations USING btree (owner, ex_address) WHERE (status = ANY (ARRAY['pending'::text, 'processing'::text, 'registered'::text, 'active'::text]));
CREATE INDEX registrations_paid_and_open ON public.registrations USING btree (paid_at) WHERE ((status = ANY (ARRAY['pending'::text, 'processing'::text])) AND (tx_hash IS NOT NULL));
CREATE INDEX registrations_unrecorded ON public.registrations USING btree (paid_at) WHERE ((status = 'failed'::text) AND (tx_hash IS NOT NULL) AND (released_at IS NULL));

-- Token buckets that all processes spend from, one per upstream that limits requests by address.
create table request_budgets (
  name text not null,
  tokens double precision not null, -- Tokens at counted_at. Negative after costs that became known only with a response.
  counted_at timestamp with time zone not null, -- In the future while nothing may be sent.
  uses jsonb not null default '{}'::jsonb, -- What each tenant has spent beyond its share at counted_at. It falls by the share.
  constraint request_budgets_pkey PRIMARY KEY (name)
);

-- Orders at venues that prove that this database is behind its upstreams: it was restored from a backup, or a standby without the last commits took over.
create table restore_evidence (
  id uuid not null, -- The id of the order at its venue, and of its intent here.
  kind text not null, -- unknown: this service made the id, and no intent has it. unsent: its intent was never sent, by this database.
  seen_at timestamp with time zone not null default now(), -- When a process noticed it. What was noticed before the newest recovery is over.
  constraint restore_evidence_pkey PRIMARY KEY (id),
  constraint restore_evidence_kind_known CHECK ((kind = ANY (ARRAY['unknown'::text, 'unsent'::text])))
);

-- When rows past their retention were last deleted, by what is deleted, and how far that was behind.
create table retention_runs (
  name text not null,
  ran_at timestamp with time zone not null default now(),
  behind_s double precision not null, -- How long the oldest row that was left is past its retention, or, where that is not known, how long rows have been left. 0: none was left.
  after text not null default ''::text, -- The key of the row at which it ended, if it left rows: the next run goes on there.
  failed_at timestamp with time zone, -- When the last attempt failed. Null: it succeeded. What failed comes last in the next run.
  constraint retention_runs_pkey PRIMARY KEY (name)
);

-- One-time links that show an app's credentials. The secret is created when the link is opened; before that there is none to steal.
create table reveal_links (
  id text not null,
  digest bytea not null,
  app_id text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  superseded_at timestamp with time zone,
  opened_at timestamp with time zone,
  constraint reveal_links_pkey PRIMARY KEY (id),
  constraint reveal_links_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint reveal_links_digest_taken UNIQUE (digest)
);
CREATE UNIQUE INDEX reveal_links_one_current ON public.reveal_links USING btree (app_id) WHERE (superseded_at IS NULL);

-- One sealed value that every process opens before it is ready. Resealing moves it to the newest key.
create table seal_checks (
  id text not null,
  sealed bytea not null,
  made_at timestamp with time zone not null default now(),
  constraint seal_checks_pkey PRIMARY KEY (id),
  constraint seal_checks_one CHECK ((id = 'keyring'::text))
);

-- Members of an intent's result that allow acting as a user, sealed. The outcome contains the rest.
create table sealed_results (
  intent_id uuid not null,
  sealed bytea not null,
  constraint sealed_results_pkey PRIMARY KEY (intent_id),
  constraint sealed_results_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES intents(id) ON DELETE CASCADE
);

-- The different passwords that sign-ups of an address gave. None of them counts before the address is verified, and then only if it is the one. Kept for verified addresses too, so that a log-in after a sign-up has the same response for every address.
create table sign_ups (
  user_id text not null,
  password_hash text not null,
  created_at timestamp with time zone not null default now(), -- The newest sign-up with this password.
  constraint sign_ups_pkey PRIMARY KEY (user_id, password_hash),
  constraint sign_ups_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sign_ups_by_age ON public.sign_ups USING btree (created_at);

-- The last nonce of each signer. The exchange accepts every nonce once, so there is one durable counter per signer, whoever enrolled it.
create table signer_nonces (
  signer text not null,
  last_nonce bigint not null,
  constraint signer_nonces_pkey PRIMARY KEY (signer)
);

-- Signing keys of exchange wallets, one row per key that was ever enrolled. The key is sealed and is wiped when it is no longer needed.
create table signing_keys (
  id uuid not null,
  owner text not null,
  ex_wallet text not null,
  signer text not null, -- The address of the key: the wallet itself, or an agent of it at the exchange.
  key_version integer not null,
  sealed bytea,
  verified_at timestamp with time zone,
  waits boolean not null default false, -- Whether it signs only once the exchange has confirmed it. Until then the live key of the wallet does.
  valid_until timestamp with time zone, -- When the exchange ends the agent, as it said at enrollment; null for the wallet's own key and for an agent without an end.
  rejected_at timestamp with time zone, -- When the exchange rejected the agent in an action. The key signs nothing more until it is enrolled again.
  created_at timestamp with time zone not null default now(),
  retired_at timestamp with time zone, -- When it was rotated out or revoked. A retired agent is never enrolled again: its old signed actions could be replayed.
  constraint signing_keys_pkey PRIMARY KEY (id),
  constraint signing_keys_signer_lower CHECK ((signer = lower(signer))),
  constraint signing_keys_version_once UNIQUE (owner, ex_wallet, key_version),
  constraint signing_keys_wallet_lower CHECK ((ex_wallet = lower(ex_wallet)))
);
CREATE INDEX signing_keys_by_signer ON public.signing_keys USING btree (signer);
CREATE UNIQUE INDEX signing_keys_one_live ON public.signing_keys USING btree (owner, ex_wallet, waits) WHERE (retired_at IS NULL);

-- What moved money or a position of a partner or an app: one line each, written in the transaction that makes it true and never changed.
create table statement_lines (
  id text not null,
  owner text not null, -- The partner or app.
  kind text not null,
  what text not null,
  at timestamp with time zone not null,
  venue text,
  account text, -- The trader as in Trader-ID of v1, or the prop account.
  user_id text,
  reference text not null, -- The order, verb, payment, payout, registration or execution.
  pair text,
  side text,
  quantity numeric,
  price numeric,
  amount numeric, -- Of payments and payouts: cents, positive what the platform received. Of a fee: what was charged, negative a rebate. Of a registration: what was paid; null: unknown.
  currency text,
  progress numeric not null default 0, -- Of a fill: the filled size of the order after it, if the venue executes it in parts. A fill or fee is stated once: its id is made of what it states (statement_id).
  constraint statement_lines_pkey PRIMARY KEY (id),
  constraint statement_lines_fill_has_a_size CHECK (((kind <> 'fill'::text) OR (quantity > (0)::numeric) OR (quantity IS NULL))),
  constraint statement_lines_known CHECK ((((kind = 'fill'::text) AND (what = 'executed'::text)) OR ((kind = 'fee'::text) AND (what = 'trading'::text)) OR ((kind = 'payment'::text) AND (what = ANY (ARRAY['received'::text, 'refunded'::text, 'disputed'::text, 'won_back'::text, 'registration'::text]))) OR ((kind = 'payout'::text) AND (what = ANY (ARRAY['transferred'::text, 'reversed'::text])))))
);
CREATE INDEX statement_lines_by_kind ON public.statement_lines USING btree (owner, kind, at) WHERE (kind <> 'fill'::text);
CREATE INDEX statement_lines_by_time ON public.statement_lines USING btree (owner, at);

-- Tickets that open one event stream each, only as SHA-256 digests. A row is deleted when its ticket is used.
create table stream_tickets (
  digest bytea not null,
  owner text not null, -- The partner or app.
  caller text not null, -- Who holds the stream: the partner, the app, or the user of the app.
  credentials text[] not null, -- What the ticket was issued with. It is worth nothing once one of them is invalid, and its stream ends then.
  prop_account_id text, -- The account of the stream. Null: the ticket is a partner's.
  expires_at timestamp with time zone not null,
  constraint stream_tickets_pkey PRIMARY KEY (digest),
  constraint stream_tickets_digest_is_sha256 CHECK ((octet_length(digest) = 32)),
  constraint stream_tickets_name_credentials CHECK ((cardinality(credentials) > 0)),
  constraint stream_tickets_prop_account_id_fkey FOREIGN KEY (prop_account_id) REFERENCES prop_accounts(id)
);
CREATE INDEX stream_tickets_by_age ON public.stream_tickets USING btree (expires_at);

-- Subaccounts of the network, each owned by the partner or app it was created for.
create table subaccounts (
  synthetic_hotkey text not null,
  entity_hotkey text not null,
  subaccount_id integer not null,
  subaccount_uuid text,
  owner text not null,
  intent_id uuid not null,
  asset_class text not null,
  account_size numeric not null,
  ex_address text,
  payout_address text,
  link_proof text, -- How the owner proved control of ex_address when it was linked; null if it did not.
  status text not null, -- The network's status: pending until its collateral is burnt, then active or failed.
  created_at timestamp with time zone not null default now(),
  constraint subaccounts_pkey PRIMARY KEY (synthetic_hotkey),
  constraint subaccounts_id_once_per_entity UNIQUE (entity_hotkey, subaccount_id),
  constraint subaccounts_link_proof_known CHECK ((link_proof = ANY (ARRAY['session'::text, 'signature'::text, 'operator'::text]))),
  constraint subaccounts_one_per_intent UNIQUE (intent_id),
  constraint subaccounts_size_positive CHECK ((account_size > (0)::numeric))
);
CREATE INDEX subaccounts_by_number ON public.subaccounts USING btree (subaccount_id);
CREATE INDEX subaccounts_by_owner ON public.subaccounts USING btree (owner);
CREATE INDEX subaccounts_by_wallet ON public.subaccounts USING btree (ex_address) WHERE (ex_address IS NOT NULL);

-- Budgets of attempts per window and subject, against guessing. An overspent window doubles the length of the next one, up to `longest`. A rejected attempt never extends the present window, so every wait is bounded.
create table throttles (
  name text not null,
  subject bytea not null, -- SHA-256 of the caller or the target; never the address itself.
  budget integer not null,
  base interval not null,
  longest interval not null,
  spent integer not null default 1, -- Attempts in this window; budget + 1 stands for any larger number.
  level integer not null default 0, -- Number of overspent windows in a row, minus one for every window that was not overspent.
  ends_at timestamp with time zone not null,
  forget_at timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (name, subject)
);
CREATE INDEX throttles_by_age ON public.throttles USING btree (forget_at);

-- Tiers for sale. The server sets the prices: a checkout with another amount is rejected.
create table tiers (
  id text not null,
  market text not null,
  asset_class text not null,
  account_size numeric not null, -- USD.
  amount_cents integer not null, -- Zero: an account of this tier is free, one per user. The processor accepts no less than 50.
  currency text not null default 'usd'::text,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint tiers_pkey PRIMARY KEY (id),
  constraint tiers_currency_lower CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint tiers_id_readable CHECK ((id ~ '^tier_[a-z0-9_]{1,60}$'::text)),
  constraint tiers_price_possible CHECK (((amount_cents = 0) OR ((amount_cents >= 50) AND (amount_cents <= 99999999)))),
  constraint tiers_size_possible CHECK (((account_size > (0)::numeric) AND (account_size <= (100000)::numeric)))
);

-- Keys for traders' programs. Each allows trading one prop account and nothing else.
create table trader_keys (
  id text not null,
  key_id text not null,
  digest bytea not null, -- SHA-256 of the whole key as sent in X-Api-Key.
  label text not null,
  owner text not null,
  user_id text not null,
  prop_account_id text not null,
  made_in_session text, -- The session that created the key. It may have been deleted since.
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone, -- Updated at most once a minute.
  revoked_at timestamp with time zone,
  constraint trader_keys_pkey PRIMARY KEY (id),
  constraint trader_keys_digest_taken UNIQUE (digest),
  constraint trader_keys_key_id_once UNIQUE (key_id),
  constraint trader_keys_owner_fkey FOREIGN KEY (owner) REFERENCES apps(id),
  constraint trader_keys_prop_account_id_fkey FOREIGN KEY (prop_account_id) REFERENCES prop_accounts(id),
  constraint trader_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX trader_keys_of_user ON public.trader_keys USING btree (user_id, created_at);

-- One row while lanes, slots and paces hold what they should. PostgreSQL empties them after a crash, and on a standby that takes over, this table too: then they are made again from the intents (restore_unlogged, claim_slot).
create unlogged table unlogged_state (
  name text not null,
  restored_at timestamp with time zone not null default now(),
  constraint unlogged_state_pkey PRIMARY KEY (name),
  constraint unlogged_state_one_row CHECK ((name = 'kept'::text))
);

-- How many requests an upstream provably works on beside those in doubt, since one of these lent its slot.
create unlogged table upstream_proofs (
  upstream text not null,
  proven integer not null, -- Those that were there at a look-up which found a thread free, and one. A request that then is in doubt takes one off.
  answered_at timestamp with time zone not null default '-infinity'::timestamp with time zone, -- When the response to the newest such look-up was here. A request whose response was here before, and is recorded later, takes one off too.
  constraint upstream_proofs_pkey PRIMARY KEY (upstream)
) with (fillfactor=50);

-- The last response of reads that change seldom, and what the exchange's stream has said last of orders of ours. All processes share them.
create table upstream_responses (
  upstream text not null, -- Its URL: numbers of assets differ from network to network.
  name text not null,
  body jsonb not null,
  read_at timestamp with time zone not null,
  constraint upstream_responses_pkey PRIMARY KEY (upstream, name)
);
CREATE INDEX upstream_responses_by_age ON public.upstream_responses USING btree (read_at);

-- Slots for requests at an upstream that works on a limited number at once. A slot outlives a killed process until held_until, and a crash of PostgreSQL by the intents that were sent (restore_slots).
create unlogged table upstream_slots (
  upstream text not null,
  slot integer not null,
  for_exits boolean not null default false, -- Whether only exits may take it, so that they never wait behind entries.
  intent_id uuid,
  hold_s double precision,
  held_until timestamp with time zone,
  is_lent boolean not null default false, -- No slot, but a request that has lent its own to another one by proof, and may still be at the upstream until held_until.
  constraint upstream_slots_pkey PRIMARY KEY (upstream, slot)
) with (fillfactor=50);

-- Sessions of end users. Only the token's digest is stored.
create table user_sessions (
  id text not null,
  digest bytea not null,
  user_id text not null,
  address text,
  created_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  proven_at timestamp with time zone, -- When the password was last proven in this session. Null: it was opened by a mailed code.
  revoked_at timestamp with time zone,
  constraint user_sessions_pkey PRIMARY KEY (id),
  constraint user_sessions_digest_taken UNIQUE (digest),
  constraint user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_by_age ON public.user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_by_user ON public.user_sessions USING btree (user_id, created_at);
CREATE INDEX user_sessions_not_ended ON public.user_sessions USING btree (user_id) WHERE (revoked_at IS NULL);

-- End users of the apps. An address belongs to one user per app.
create table users (
  id text not null,
  app_id text not null,
  email text not null, -- Normalized: NFKC, lower case, trimmed.
  password_salt bytea not null default uuid_send(gen_random_uuid()), -- The salt of every hash for this address: one computation compares a password with all of them.
  password_hash text, -- Null until the address is verified, and while no password counts: sign-ups gave different ones, and none was set by a reset.
  verified_at timestamp with time zone,
  totp_seed bytea,
  totp_step bigint,
  totp_enabled_at timestamp with time zone,
  totp_session_id text, -- The session that began the enrollment of the authenticator.
  password_proven_at timestamp with time zone, -- The last log-in or renewed proof of the password.
  created_at timestamp with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint users_email_once UNIQUE (app_id, email),
  constraint users_totp_has_seed CHECK (((totp_enabled_at IS NULL) OR ((totp_seed IS NOT NULL) AND (totp_step IS NOT NULL)))),
  constraint users_unverified_have_no_password CHECK (((password_hash IS NULL) OR (verified_at IS NOT NULL)))
);
CREATE INDEX users_by_email ON public.users USING btree (email);
CREATE INDEX users_unverified ON public.users USING btree (created_at) WHERE (verified_at IS NULL);

-- Wallets whose control a partner has proven by a signature.
create table wallet_proofs (
  owner text not null,
  ex_wallet text not null,
  proven_at timestamp with time zone not null default now(),
  constraint wallet_proofs_pkey PRIMARY KEY (owner, ex_wallet),
  constraint wallet_proofs_wallet_lower CHECK ((ex_wallet = lower(ex_wallet)))
);

-- The take-profits and stop-losses that the newest accepted commands want of a trader's position in a pair, and whether the venue has them.
create table wanted_exits (
  venue text not null,
  trader text not null,
  pair text not null,
  owner text not null,
  wanted jsonb not null default '[]'::jsonb, -- One entry for each order whose exits they are: order_uuid, take_profit, stop_loss, trailing_stop, size; version (the position of its command among all intents); waits (the order is not filled yet).
  wanted_at timestamp with time zone not null default now(), -- When a command or a fill last changed what is wanted.
  decided_by bigint not null default 0, -- The position of the newest command that replaced the exits of the whole position: an earlier one adds none any more.
  version integer not null default 0, -- Incremented by every command and every comparison. A comparison that was overtaken records nothing.
  is_changed boolean not null default true, -- Whether something ended since the last comparison that may have changed what lives. Such rows come first.
  due_at timestamp with time zone, -- When the next comparison is due. Null while nothing is wanted.
  compared_at timestamp with time zone,
  missing_since timestamp with time zone, -- Since when complete reads have lacked wanted exits of an open position.
  told_at timestamp with time zone, -- When position.unprotected was emitted; null unless the position is told to be unprotected now.
  seen jsonb not null default '{}'::jsonb, -- What the last comparison showed: side, size, live, reason, message, repair; ended: when exits ended, by their names (epoch ms); unseen_since: since when nothing has shown the position (epoch s).
  repairs integer not null default 0,
  repaired_by uuid, -- The newest intent that was to put the missing exits back.
  constraint wanted_exits_pkey PRIMARY KEY (venue, trader, pair)
);
CREATE INDEX wanted_exits_due ON public.wanted_exits USING btree (venue, is_changed DESC, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX wanted_exits_missing ON public.wanted_exits USING btree (venue, missing_since) WHERE (missing_since IS NOT NULL);

-- Every attempt of a delivery and what the receiver responded.
create table webhook_attempts (
  delivery_id text not null,
  n integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  response_status integer,
  error text, -- Why it failed, as a code of this service. Null for a success.
  response text, -- The first 2 KiB of the response body.
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, n),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_limit=2000);

-- One event for one endpoint. A delivery is not an intent: it is repeated for days with one id until the receiver accepts it, and a lost response only causes one more attempt.
create table webhook_deliveries (
  id text not null, -- The same on every attempt, so that receivers recognize repeats.
  owner text not null, -- The owner of the endpoint and of the event: a delivery never takes an event of one owner to an endpoint of another.
  endpoint_id text not null,
  event_id text not null,
  state text not null default 'pending'::text,
  due_at timestamp with time zone not null default now(),
  lane integer,
  fence integer not null default 0, -- Incremented by every claim. An outcome with an older fence changes nothing.
  attempts integer not null default 0, -- How often it was sent or may have been sent.
  retry_step integer not null default 0, -- The position in the retry plan: failures since it was queued or queued again.
  response_status integer,
  error text,
  created_at timestamp with time zone not null default now(),
  taken_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_ended_at_end CHECK (((state = ANY (ARRAY['pending'::text, 'sending'::text])) = (ended_at IS NULL))),
  constraint webhook_deliveries_four_lanes CHECK (((lane >= 0) AND (lane <= 3))),
  constraint webhook_deliveries_in_a_lane CHECK (((state = 'sending'::text) = (lane IS NOT NULL))),
  constraint webhook_deliveries_of_endpoints_owner FOREIGN KEY (endpoint_id, owner) REFERENCES webhook_endpoints(id, owner),
  constraint webhook_deliveries_of_events_owner FOREIGN KEY (event_id, owner) REFERENCES events(id, owner),
  constraint webhook_deliveries_once_per_endpoint UNIQUE (event_id, endpoint_id),
  constraint webhook_deliveries_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_cost_limit=2000, autovacuum_analyze_scale_factor=0.02, autovacuum_analyze_threshold=1000);
CREATE INDEX webhook_deliveries_by_endpoint ON public.webhook_deliveries USING btree (endpoint_id, id);
CREATE INDEX webhook_deliveries_cancelled ON public.webhook_deliveries USING btree (id) INCLUDE (ended_at) WHERE (state = 'cancelled'::text);
CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree (id) WHERE (state = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (endpoint_id, due_at) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_failed ON public.webhook_deliveries USING btree (ended_at) WHERE (state = 'failed'::text);
CREATE UNIQUE INDEX webhook_deliveries_one_per_lane ON public.webhook_deliveries USING btree (endpoint_id, lane) WHERE (state = 'sending'::text); -- With four lanes, at most four deliveries of an endpoint are in flight, whatever the code does.
CREATE INDEX webhook_deliveries_undelivered ON public.webhook_deliveries USING btree (endpoint_id, state, id) WHERE (state = ANY (ARRAY['failed'::text, 'cancelled'::text]));

-- Webhook endpoints of apps and partners, and the events they subscribe to.
create table webhook_endpoints (
  id text not null,
  owner text not null, -- An app or a partner.
  app_id text default 
CASE
    WHEN (NOT starts_with(owner, 'ptn_'::text)) THEN owner
    ELSE NULL::text
END, -- The owner if it is an app. Proves that it exists.
  partner_id text default 
CASE
    WHEN starts_with(owner, 'ptn_'::text) THEN owner
    ELSE NULL::text
END, -- The owner if it is a partner. Proves that it exists.
  url text not null,
  events text[] not null,
  description text,
  active boolean not null default true,
  deactivated_because text,
  failing_since timestamp with time zone, -- The first failure since the last success. Null while deliveries succeed.
  recovered_at timestamp with time zone, -- When missed deliveries were last queued again.
  credentials jsonb not null default '{}'::jsonb, -- The keys of the partner or secrets of the app that set its address or were shown its secret, each with when it last did.
  lanes integer not null default 0, -- One bit for each lane (webhook:<endpoint>:<0 to 3>) that has a job. Set and cleared under the lock on this row.
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  constraint webhook_endpoints_four_lanes CHECK (((lanes >= 0) AND (lanes <= 15))),
  constraint webhook_endpoints_inactive_has_reason CHECK ((active = (deactivated_because IS NULL))),
  constraint webhook_endpoints_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint webhook_endpoints_reason_known CHECK ((deactivated_because = ANY (ARRAY['asked'::text, 'gone'::text, 'failing'::text, 'stolen'::text]))),
  constraint webhook_endpoints_subscribed CHECK ((cardinality(events) > 0)),
  constraint webhook_endpoints_with_owner UNIQUE (id, owner)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
CREATE INDEX webhook_endpoints_by_owner ON public.webhook_endpoints USING btree (owner, created_at);

-- Signing secrets of endpoints. Every secret that has not expired signs each delivery.
create table webhook_secrets (
  id text not null,
  endpoint_id text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone, -- Set when it is rotated out: how long it still signs in addition to the new one.
  constraint webhook_secrets_pkey PRIMARY KEY (id),
  constraint webhook_secrets_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id)
);
CREATE INDEX webhook_secrets_by_endpoint ON public.webhook_secrets USING btree (endpoint_id);

-- Running worker processes. Each holds a session-level advisory lock on its lock_key and updates seen_at. A worker without a heartbeat and without its lock is dead. One without a heartbeat for long counts as dead; when it resumes, the fences of its intents have moved on.
create table worker_processes (
  id uuid not null,
  lock_key bigint generated always as identity not null,
  pool_ids text[] not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  constraint worker_processes_pkey PRIMARY KEY (id)
);

CREATE TRIGGER admin_audit_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.admin_audit FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE TRIGGER agreement_signatures_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.agreement_signatures FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE CONSTRAINT TRIGGER agreement_signatures_emit AFTER INSERT ON public.agreement_signatures DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_signature();

CREATE CONSTRAINT TRIGGER connect_accounts_emit AFTER INSERT OR UPDATE OF payouts_enabled, transfers_enabled, details_submitted, detached_at ON public.connect_accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_payout_account();

CREATE CONSTRAINT TRIGGER enrollments_emit AFTER INSERT OR DELETE OR UPDATE OF payout_wallet, label, updated_at ON public.enrollments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_enrollment();

CREATE TRIGGER ledger_accounts_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE TRIGGER ledger_entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE CONSTRAINT TRIGGER ledger_entries_keep_held AFTER INSERT ON public.ledger_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_held();

CREATE TRIGGER ledger_transactions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_transactions FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE TRIGGER operator_actions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_actions FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

CREATE TRIGGER partner_keys_announce AFTER DELETE OR UPDATE OF revoked_at, expires_at ON public.partner_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_partners();

CREATE TRIGGER partners_announce AFTER DELETE OR UPDATE ON public.partners FOR EACH STATEMENT EXECUTE FUNCTION announce_partners();

CREATE CONSTRAINT TRIGGER payment_losses_emit AFTER INSERT OR UPDATE OF status ON public.payment_losses DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_dispute();

CREATE CONSTRAINT TRIGGER payments_emit AFTER UPDATE OF status ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'failed'::text) AND (old.status <> 'failed'::text))) EXECUTE FUNCTION emit_failed_checkout();

CREATE CONSTRAINT TRIGGER payout_reversals_emit AFTER INSERT ON public.ledger_transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = 'transfer'::text)) EXECUTE FUNCTION emit_payout_reversal();

CREATE CONSTRAINT TRIGGER payouts_emit AFTER UPDATE ON public.payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((new.status = 'completed'::text) AND (old.status <> 'completed'::text)) OR ((new.status = 'failed'::text) AND (new.emitted_failure IS DISTINCT FROM old.emitted_failure)))) EXECUTE FUNCTION emit_payout();

CREATE CONSTRAINT TRIGGER prop_accounts_emit AFTER INSERT OR UPDATE OF status, failure_reason ON public.prop_accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_account();

CREATE CONSTRAINT TRIGGER refunds_emit AFTER INSERT ON public.ledger_transactions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.kind = 'refund'::text)) EXECUTE FUNCTION emit_refund();

CREATE CONSTRAINT TRIGGER registrations_emit AFTER INSERT OR UPDATE OF status, tx_hash, message ON public.registrations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_registration();

CREATE TRIGGER registrations_state AFTER UPDATE OF tx_hash ON public.registrations FOR EACH ROW EXECUTE FUNCTION state_registration();

CREATE CONSTRAINT TRIGGER subaccounts_emit AFTER INSERT OR UPDATE OF status, owner ON public.subaccounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_subaccount();

CREATE CONSTRAINT TRIGGER users_emit AFTER UPDATE OF verified_at ON public.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION emit_verified();

-- Both sides of every entry of the ledger: debits are positive, credits negative.
create view ledger_lines (
  entry_id bigint,
  transaction_id bigint,
  transaction_kind text,
  subject text,
  owner text,
  source text,
  said_at timestamp with time zone,
  recorded_at timestamp with time zone,
  account text,
  holder text,
  currency text,
  amount bigint
);

-- Jobs of the queue, with payloads. Views for operators show only the parts that an operator may see.
create view queue_jobs (
  id bigint,
  task text,
  payload json,
  key text,
  priority smallint,
  run_at timestamp with time zone,
  is_available boolean,
  attempts smallint,
  max_attempts smallint,
  locked_at timestamp with time zone,
  locked_by text,
  last_error text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone
);

-- Who did what, and why: operators over HTTP (admin:<id>) and in psql (the role that connected), including rejected actions. Order by at desc.
create view ops.actions (
  id text,
  at timestamp with time zone,
  who text,
  action text,
  subject text,
  why text,
  detail jsonb
);

-- What waits for a person: mails that were given up within the hour, but for those of disabled owners and of one or two wrong addresses, payouts that are stranded, intents that ended within a day with an unknown effect, registrations that were paid and not recorded, free accounts that could not be created, events of the processor that were not applied within 10 minutes, money and registrations whose rows were lost with a backup, requests of operators that need another one's approval, disputes that need a response, suspect payments.
create view ops.attention (
  what text,
  count integer
);

-- Failed and cancelled deliveries, newest first. select ops.retry_delivery(id, who, why), or all of an endpoint: ops.retry_deliveries_of(endpoint, who, why).
create view ops.dead_deliveries (
  delivery_id text,
  app_id text,
  endpoint_id text,
  endpoint_active boolean,
  url text,
  event_id text,
  event_type text,
  state text,
  attempts integer,
  response_status integer,
  error text,
  ended_at timestamp with time zone
);

-- Jobs that are for no intent and whose attempts are used up, oldest first: no worker takes them again. Normally empty. What a re-run would do: ops.safe_to_rerun_job(id). Jobs of intents: ops.stuck_intents.
create view ops.dead_jobs (
  job_id bigint,
  task text,
  about jsonb,
  attempts smallint,
  created_at timestamp with time zone,
  died_at timestamp with time zone,
  last_error text
);

-- Payouts that wait for the platform's balance at the processor, its key, or the processor (delayed_for), oldest first. They go on by themselves.
create view ops.delayed_payouts (
  payout_id text,
  app_id text,
  user_id text,
  prop_account_id text,
  amount_cents integer,
  currency text,
  delayed_for text,
  delayed_since timestamp with time zone
);

-- All webhook deliveries, without bodies. URLs are shown without credentials and query.
create view ops.deliveries (
  delivery_id text,
  app_id text,
  endpoint_id text,
  url text,
  endpoint_active boolean,
  event_id text,
  event_type text,
  state text,
  attempts integer,
  response_status integer,
  error text,
  due_at timestamp with time zone,
  ended_at timestamp with time zone
);

-- Undelivered webhooks by state, with the age of the oldest in seconds: since it was queued, or since it failed. Of those that wait, of those that failed, and of those that were cancelled, 100,000 are counted at most.
create view ops.delivery_ages (
  state text,
  count integer,
  oldest_s double precision
);

-- Disputes of payments and inquiries, those that need a response first. They are answered at the processor; what it decides arrives as an event.
create view ops.disputes (
  dispute_id text,
  payment_id text,
  owner text,
  user_id text,
  email text,
  prop_account_id text,
  account_status text,
  status text,
  amount_cents integer,
  currency text,
  made_at timestamp with time zone,
  said_at timestamp with time zone,
  needs_response boolean,
  is_money_gone boolean
);

-- Accounts that could not be created and were not abandoned, newest first, with the safe action: ops.provision_account, ops.attach_account, ops.abandon_account, or a refund.
create view ops.failed_accounts (
  prop_account_id text,
  app_id text,
  user_id text,
  payment_id text,
  processor_payment_intent_id text,
  tier_id text,
  asset_class text,
  account_size numeric,
  failure_reason text,
  intent_id uuid,
  created_at timestamp with time zone,
  failed_at timestamp with time zone,
  safe_action text
);

-- Intents that ended without a result, newest first: the upstream rejected it, it was too late to send, or nothing proves its effect (effect unknown, see ops.undecided_intents). They stay ended; those with effect none may be submitted again with a new id.
create view ops.failed_intents (
  intent_id uuid,
  kind text,
  owner text,
  state text,
  effect text,
  problem_code text,
  problem_reason text,
  attempts integer,
  reconcile_attempts integer,
  created_at timestamp with time zone,
  sending_at timestamp with time zone,
  settled_at timestamp with time zone
);

-- Mails that were given up, newest first. refused: the mail server rejected it permanently. expired: it could not be handed over in time. No mail is sent again: cause a new one.
create view ops.failed_mails (
  mail_id uuid,
  template text,
  app_id text,
  user_id text,
  recipient text,
  state text,
  reason text,
  attempts integer,
  created_at timestamp with time zone,
  ended_at timestamp with time zone
);

-- Every process as it describes itself every 5 s: version, why it is not ready, upstreams that reject its credentials, clock, ids of its keys, a fingerprint of each setting. One that was killed stays for an hour.
create view ops.fleet (
  kind text,
  instance text,
  version text,
  started_at timestamp with time zone,
  seen_at timestamp with time zone,
  is_running boolean,
  failing_checks text[],
  paused text[],
  serves text[],
  clock_ahead_s double precision,
  sealing_keys text[],
  agreement_keys text[],
  settings jsonb,
  reach jsonb,
  id uuid
);

-- Settings, by a fingerprint of the value, and versions in which running processes differ: one row for each value, with its processes. is_odd: fewer have it than another value.
create view ops.fleet_differences (
  name text,
  value text,
  processes text[],
  is_odd boolean
);

-- Open intents by state and kind, with the age of the oldest in seconds.
create view ops.intent_ages (
  state text,
  kind text,
  count integer,
  oldest_s double precision
);

-- All intents, without request, sent payload and response. unknown_because: why it was last in doubt. phase: its state, and pending for queued and running; the indexes have it. The full story of one: select * from ops.history(id).
create view ops.intents (
  intent_id uuid,
  kind text,
  owner text,
  state text,
  effect text,
  is_undecided boolean,
  problem_code text,
  problem_reason text,
  unknown_because text,
  attempts integer,
  reconcile_attempts integer,
  lane text,
  request_id text,
  created_at timestamp with time zone,
  deadline_at timestamp with time zone,
  sending_at timestamp with time zone,
  settled_at timestamp with time zone,
  phase text
);

-- Intents in doubt, oldest first. They are reconciled automatically. because: the result of the last call or look-up. If next_reconcile_at is null, none is planned: rerun the intent.
create view ops.intents_in_doubt (
  intent_id uuid,
  kind text,
  owner text,
  because text,
  reconcile_attempts integer,
  sending_at timestamp with time zone,
  sent_s_ago integer,
  next_reconcile_at timestamp with time zone,
  created_at timestamp with time zone
);

-- Jobs of the queue. is_held: a living worker runs it. is_dead: its attempts are used up and no worker will take it again.
create view ops.jobs (
  job_id bigint,
  task text,
  intent_id uuid,
  run_at timestamp with time zone,
  attempts smallint,
  max_attempts smallint,
  locked_at timestamp with time zone,
  locked_by text,
  is_held boolean,
  is_dead boolean,
  last_error text
);

-- Lanes. head is an intent of the lane whose turn it is; others may run alongside it. waiting is the number of queued intents, including the head.
create view ops.lanes (
  lane text,
  head uuid,
  waiting integer
);

-- The accounts of the ledger.
create view ops.ledger_accounts (
  account_id bigint,
  account text,
  payout_account text,
  currency text
);

-- Where the ledger (posted) and the processor (shown) differ, in smallest units, at a payout account or in the platform's balance of a payment or payout, with the safe action. Normally empty.
create view ops.ledger_differences (
  subject text,
  app_id text,
  user_id text,
  processor_object text,
  place text,
  currency text,
  posted bigint,
  shown bigint,
  since timestamp with time zone,
  safe_action text
);

-- The entries of the ledger: an amount in the currency's smallest unit, from the credited to the debited account, of a payment or payout (subject), by the processor's time (said_at) and ours.
create view ops.ledger_entries (
  entry_id bigint,
  transaction_id bigint,
  kind text,
  subject text,
  app_id text,
  processor_object text,
  said_at timestamp with time zone,
  recorded_at timestamp with time zone,
  debit text,
  credit text,
  payout_account text,
  currency text,
  amount bigint
);

-- Payments and transfers at the processor whose rows were lost with a backup, with the safe action. Each until ops.dismiss. Normally empty.
create view ops.lost_money (
  kind text,
  processor_id text,
  subject_id text,
  amount_cents integer,
  currency text,
  status text,
  processor_account_id text,
  user_id text,
  app text,
  made_at timestamp with time zone,
  safe_action text
);

-- Payments of registrations on chain whose rows were lost with a backup, of any payer of the registrar. Normally empty.
create view ops.lost_registrations (
  tx_hash text,
  payer text,
  payee text,
  units numeric,
  found_at timestamp with time zone,
  released_at timestamp with time zone,
  safe_action text
);

-- Operators: role, authenticator, sessions, and until when an invitation is valid.
create view ops.operators (
  id text,
  email text,
  role text,
  has_authenticator boolean,
  disabled_at timestamp with time zone,
  invited_until timestamp with time zone,
  open_sessions bigint,
  last_seen_at timestamp with time zone,
  created_at timestamp with time zone
);

-- Orders of traders, with the state of the intent that placed each and what became of it at the venue. By trader: where trader = …, newest by created_at.
create view ops.orders (
  order_id uuid,
  given_id uuid,
  venue text,
  owner text,
  trader text,
  pair text,
  state text,
  lifecycle text,
  problem_code text,
  created_at timestamp with time zone,
  settled_at timestamp with time zone,
  is_resting boolean
);

-- Payments older than 10 minutes that were neither fulfilled nor refunded, with the safe action. Normally empty.
create view ops.paid_without_account (
  payment_id text,
  app_id text,
  user_id text,
  amount_cents integer,
  currency text,
  paid_at timestamp with time zone,
  prop_account_id text,
  account_status text,
  failure_reason text,
  intent_id uuid,
  intent_state text,
  safe_action text,
  held_cents integer,
  held_currency text
);

-- Upstreams, partners and apps for which nothing new is sent, since when, by whom and why, and how many intents wait. ops.end_pause ends one.
create view ops.pauses (
  subject text,
  name text,
  holds_exits boolean,
  reason text,
  paused_by text,
  paused_at timestamp with time zone,
  waiting integer
);

-- Jobs by task: due now, planned, running, dead, and for how many seconds the oldest due job has waited.
create view ops.queue_ages (
  task text,
  ready integer,
  planned integer,
  running integer,
  dead integer,
  oldest_ready_s double precision
);

-- Orders that venues have and this database has lost (unknown) or shows as never sent (unsent), noticed since its last recovery. Any row: the database is behind its upstreams; stop the workers and recover it. Normally empty.
create view ops.restore_evidence (
  id uuid,
  kind text,
  seen_at timestamp with time zone
);

-- What housekeeping/prune deletes, what failed and what is behind first: how long the oldest row is past its retention, when rows were last deleted, and since when that fails.
create view ops.retention (
  kind text,
  behind_s double precision,
  ran_at timestamp with time zone,
  failed_at timestamp with time zone
);

-- Payouts whose money is neither with the platform nor on its way to the trader's bank (also after a rejected reversal), or for which this is unknown, and payouts that the bank received twice, because it kept one that was sent again; with the safe action. Normally empty.
create view ops.stranded_payouts (
  payout_id text,
  app_id text,
  user_id text,
  prop_account_id text,
  processor_account_id text,
  processor_transfer_id text,
  status text,
  amount_cents integer,
  transferred_cents integer,
  reversed_cents integer,
  currency text,
  failure_reason text,
  since timestamp with time zone,
  safe_action text,
  step text,
  step_state text
);

-- Open intents that should run, but that no worker runs or will run, with the reason, oldest first. Normally empty: the crontab gives those without a good job a new one within 2 minutes. select * from ops.rerun(id, who, why).
create view ops.stuck_intents (
  intent_id uuid,
  kind text,
  owner text,
  state text,
  lane text,
  created_at timestamp with time zone,
  sending_at timestamp with time zone,
  because text
);

-- Lanes with open intents that no worker runs or will run, with the reason. Normally empty. rerun is the intent to run again.
create view ops.stuck_lanes (
  lane text,
  head uuid,
  head_state text,
  open integer,
  since timestamp with time zone,
  because text,
  rerun uuid
);

-- Payments with an early fraud warning while their money is kept, and payment intents that were paid in the name of a payment that has another one. Each until the money is returned, or ops.dismiss_event.
create view ops.suspect_payments (
  event_id text,
  payment_id text,
  owner text,
  user_id text,
  processor_payment_intent_id text,
  why text,
  safe_action text,
  said_at timestamp with time zone
);

-- Open transactions of the database, oldest first, without autovacuum's and this one: those that the owner of the database may see. While an old one is open, nothing is cleaned up that was deleted since. One with prepared_as is ended by rollback prepared, any other by pg_terminate_backend(pid).
create view ops.transactions (
  pid integer,
  role text,
  application text,
  address text,
  state text,
  prepared_as text,
  began_at timestamp with time zone,
  age_s double precision
);

-- Intents that ended although nothing proves their effect, oldest first, with the safe action. Their effect is unknown. Each until that is done, or ops.dismiss. Normally empty.
create view ops.undecided_intents (
  intent_id uuid,
  kind text,
  owner text,
  problem_code text,
  sending_at timestamp with time zone,
  settled_at timestamp with time zone,
  safe_action text
);

-- Open positions without the exits that the newest accepted commands want, by complete reads. told_at: when it was reported; null while a second read has to confirm it. owner: who wanted exits last. lacked_by: whose exits are missing.
create view ops.unprotected_positions (
  venue text,
  owner text,
  trader text,
  pair text,
  side text,
  size text,
  missing_since timestamp with time zone,
  told_at timestamp with time zone,
  wanted jsonb,
  live jsonb,
  reason text,
  message text,
  repair text,
  repair_intent uuid,
  lacked_by text[]
);

-- Events of the processor about objects of ours in which a member is missing or impossible, or that contradict what is known. None was applied, and each stops the account or the payouts that it is about: read the object at the processor, then ops.dismiss_event.
create view ops.unreadable_events (
  event_id text,
  type text,
  object_id text,
  source text,
  said_at timestamp with time zone,
  received_at timestamp with time zone,
  payment_id text
);

-- Registrations whose payment was taken on chain and that the registrar has not recorded, or has failed, or that are still open a day later, oldest first. Their address cannot register again until it is released. Normally empty. Payments whose rows were lost with a backup: ops.lost_registrations.
create view ops.unrecorded_registrations (
  registration_id uuid,
  owner text,
  ex_address text,
  miner_slug text,
  account_size integer,
  payer text,
  tx_hash text,
  paid_at timestamp with time zone,
  message text,
  safe_action text
);

-- Writes by upstream: how many wait to be sent, how many are in doubt and why the newest of them is, and the last success among the newest 100 of a kind.
create view ops.upstreams (
  upstream text,
  waiting integer,
  in_doubt integer,
  in_doubt_because text,
  succeeded_at timestamp with time zone
);

-- Open intents by what they wait for, of the 2,000 that ops.waits shows, exits apart, with the age of the oldest in seconds.
create view ops.wait_counts (
  reason text,
  is_exit boolean,
  count integer,
  oldest_s double precision
);

-- What each open intent waits for (reason), in words (detail), and until when at most, where that is known: the oldest 2,000, exits first.
create view ops.waits (
  intent_id uuid,
  kind text,
  owner text,
  state text,
  is_exit boolean,
  created_at timestamp with time zone,
  reason text,
  detail text,
  until timestamp with time zone
);

-- Worker processes. Each sends a heartbeat every second and holds a lock. Without a heartbeat, others release its jobs after 2 s without the lock, after 8 s with it.
create view ops.workers (
  worker_id uuid,
  started_at timestamp with time zone,
  seen_s_ago double precision,
  has_lock boolean,
  jobs integer
);

create function abandon_account(account text, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns text plpgsql;

create function accept_checkouts(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_exchange_orders(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_free_accounts(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_intents(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_invitation(token_digest bytea, new_hash text)
  returns text sql;

create function accept_network_orders(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_one_by_one(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_orders(batch jsonb, rejected jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_registrations(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function accept_trading_orders(batch jsonb)
  returns TABLE(n integer, intent_id uuid, verdict text) plpgsql;

create function account_events_after(account text, after_position bigint, most integer)
  returns TABLE("position" bigint, type text, data text) sql stable;

create function account_log_end(account text, after_position bigint)
  returns TABLE(last_position bigint, is_whole boolean) sql stable;

create function add_exchange_fills(wallet text, fills jsonb)
  returns SETOF exchange_fills sql;

create function advance_fill_cursor(wallet text, from_at timestamp with time zone, to_at timestamp with time zone)
  returns boolean plpgsql;

create function advance_lane(lane_name text, leaver uuid, of_owner text DEFAULT NULL::text)
  returns void plpgsql;

create function agreement_canonical(r agreement_signatures)
  returns bytea sql stable;

create function announce_intent(channel text, i intents)
  returns void plpgsql;

create function announce_outbound()
  returns void sql;

create function announce_partners()
  returns trigger plpgsql;

create function ask_for_approval(new_id text, of_operation text, of_subject text, of_digest bytea, of_summary jsonb, because text, needs_role text, operator text, lives_s integer)
  returns SETOF approvals plpgsql;

create function ask_for_subaccount(account text, new_intent uuid, deadline_s double precision, former uuid DEFAULT NULL::uuid)
  returns void plpgsql;

create function assess_open_intents(of_kind text, of_owner text, in_state text)
  returns TABLE(verdict text, is_safe boolean, would_do text, intents integer, oldest_at timestamp with time zone, example uuid) sql stable;

create function assign_slots(at_upstream text, for_s double precision, asking uuid, most integer DEFAULT NULL::integer)
  returns void plpgsql;

create function attach_subaccount(account text, by_operator text, made jsonb, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns text plpgsql;

create function attach_to_registration(registration uuid, by_operator text, made jsonb, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns text plpgsql;

create function average_price(worth numeric, size numeric)
  returns numeric sql immutable;

create function bank_leg_of(payout text)
  returns TABLE(amount_cents bigint, currency text) sql stable;

create function begin_payout_step(payout text, which text, item jsonb)
  returns void plpgsql;

create function begin_sending(intent uuid, held_fence integer, what jsonb, claims boolean DEFAULT false)
  returns boolean plpgsql;

create function begin_sending_within(intent uuid, held_fence integer, what jsonb, at_upstream text, slots integer, for_s double precision, for_exits integer DEFAULT 0, exits boolean DEFAULT false, pace text DEFAULT NULL::text, per_minute integer DEFAULT NULL::integer, kept integer DEFAULT 0, claims boolean DEFAULT false)
  returns text plpgsql;

create function budget_used(of_name text, capacity double precision, per_s double precision)
  returns double precision sql stable;

create function can_be_paused(subject text)
  returns boolean sql stable;

create function cancel_exchange_orders(wallet text, numbers text[], by_intent uuid DEFAULT NULL::uuid)
  returns uuid[] plpgsql;

create function cancel_payout(payout text, of_owner text, of_user text)
  returns text plpgsql;

create function cancel_unreceived(most integer)
  returns integer plpgsql;

create function cancel_waiting(endpoint text, most integer)
  returns integer sql;

create function change_orders(changes jsonb)
  returns uuid[] plpgsql;

create function charge_budget(of_name text, capacity double precision, weight double precision)
  returns void sql;

create function claim_intent(intent uuid)
  returns SETOF intents plpgsql;

create function claim_look_up_slot(at_upstream text, slots integer, for_s double precision)
  returns uuid plpgsql;

create function claim_slot(intent uuid, at_upstream text, slots integer, for_s double precision, for_exits integer, exits boolean)
  returns boolean plpgsql;

create function close_event(event text, new_outcome text)
  returns void plpgsql;

create function code_template(for_user text)
  returns text sql stable;

create function confirm_key(of_key uuid, until timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns void plpgsql;

create function confirm_reset(app text, address text, token_digest bytea, new_hash text, address_digest bytea, mail uuid, mail_lives_s integer, all_keys boolean DEFAULT true)
  returns text plpgsql;

create function correct_exits(shown jsonb)
  returns void sql;

create function deactivate_endpoint(endpoint text, because text)
  returns boolean plpgsql;

create function decide_approval(approval text, operator text, roles text[], is_approved boolean, because text, session text DEFAULT NULL::text)
  returns text plpgsql;

create function decide_exits(of_trader text, of_pair text, decided jsonb, by_intent uuid)
  returns SETOF text sql;

create function delay_payout(intent uuid, code text)
  returns void sql;

create function detach_payout_account(account text, because text)
  returns boolean plpgsql;

create function detach_payout_account_for(account text, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns text plpgsql;

create function disable_operator(operator text, by_operator text, is_disabled boolean DEFAULT true)
  returns text plpgsql;

create function dismiss_event(event text, by_operator text, because text)
  returns text plpgsql;

create function dispatch_due_deliveries(endpoint text)
  returns void plpgsql;

create function dispute_end(status text)
  returns text sql immutable;

create function doubt_job(kind text, intent uuid, is_exit boolean, run_at timestamp with time zone)
  returns graphile_worker.job_spec sql stable;

create function drop_finished_jobs()
  returns integer sql;

create function drop_superseded_jobs()
  returns integer sql;

create function drop_verification(for_user text, of_session text)
  returns void plpgsql;

create function drop_waiting(of_owner text, most integer)
  returns integer plpgsql;

create function emit_account()
  returns trigger plpgsql;

create function emit_account_moved(account text)
  returns void sql;

create function emit_dispute()
  returns trigger plpgsql;

create function emit_ended(ended uuid[], closed uuid[])
  returns void plpgsql;

create function emit_enrollment()
  returns trigger plpgsql;

create function emit_event(of_owner text, of_type text, payload jsonb, from_origin text DEFAULT 'service'::text)
  returns integer sql;

create function emit_events(of_owner text, of_type text, payloads jsonb[])
  returns integer plpgsql;

create function emit_executions(wallet text, added exchange_fills[], changed uuid[])
  returns void plpgsql;

create function emit_failed_checkout()
  returns trigger plpgsql;

create function emit_payment(p payments, of_type text, more jsonb)
  returns void sql;

create function emit_payout()
  returns trigger plpgsql;

create function emit_payout_account()
  returns trigger plpgsql;

create function emit_payout_reversal()
  returns trigger plpgsql;

create function emit_protection(w wanted_exits, of_type text, owners text[])
  returns void plpgsql;

create function emit_refund()
  returns trigger plpgsql;

create function emit_registration()
  returns trigger plpgsql;

create function emit_signature()
  returns trigger plpgsql;

create function emit_subaccount()
  returns trigger plpgsql;

create function emit_verified()
  returns trigger plpgsql;

create function end_attempts(batch jsonb)
  returns integer[] plpgsql;

create function end_exits(wallet text, of_pair text, by_intent uuid)
  returns void plpgsql;

create function end_lane(endpoint text, of_lane integer)
  returns text plpgsql;

create function end_lasting_doubt(intent uuid)
  returns boolean plpgsql;

create function end_mail(mail uuid, ending text, why text)
  returns boolean plpgsql;

create function end_operator_sessions(operator text)
  returns integer sql;

create function end_pause(of_subject text, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns integer plpgsql;

create function end_purchase(intent uuid, held_fence integer, ending text, said jsonb, poll_s double precision)
  returns void plpgsql;

create function enqueue(jobs graphile_worker.job_spec[])
  returns void plpgsql;

create function enroll_key(of_owner text, wallet text, new_id uuid, new_signer text, new_sealed bytea, is_verified boolean, payout text, named text, until timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns void plpgsql;

create function entries_starve(at_upstream text)
  returns boolean sql stable;

create function event_body(e events)
  returns text sql stable;

create function event_job(event text, fact jsonb)
  returns graphile_worker.job_spec sql immutable;

create function event_object(fact jsonb)
  returns text sql immutable;

create function events_of_ours(batch jsonb)
  returns TABLE(event_id text) sql stable;

create function exchange_orders_among(ids uuid[], numbers text[])
  returns SETOF orders sql stable;

create function exchange_pair(coin text)
  returns text sql immutable;

create function executions_of_order(wallet text, number text, of_order uuid)
  returns SETOF exchange_fills sql stable;

create function exit_triggers(wallet text, added exchange_fills[])
  returns jsonb[] sql stable;

create function exits_may_differ(of_venue text, of_trader text)
  returns void plpgsql;

create function exits_of_terms(terms jsonb, filled text, waits boolean)
  returns jsonb sql immutable;

create function exits_wait_behind(of_lane text, at_position bigint)
  returns boolean sql stable;

create function expire_events(kept_s double precision, most integer, after text)
  returns TABLE(picked integer, deleted integer, last text, oldest_s double precision) sql;

create function expire_intents(kept_s double precision, most integer, after text)
  returns TABLE(picked integer, deleted integer, last text, oldest_s double precision) sql;

create function expire_lanes(kept_s double precision, most integer, after text)
  returns TABLE(picked integer, deleted integer, last text, oldest_s double precision) sql;

create function expire_orders(kept_s double precision, most integer, after text)
  returns TABLE(picked integer, deleted integer, last text, oldest_s double precision) sql;

create function expire_processor_events(kept_s double precision, most integer, after text)
  returns TABLE(picked integer, deleted integer, last text, oldest_s double precision) sql;

create function expired_after(key text)
  returns timestamp with time zone sql stable;

create function expired_id(key text)
  returns uuid sql immutable;

create function fail_checkout(intent uuid)
  returns void sql;

create function fail_payout_step(intent uuid)
  returns void plpgsql;

create function fail_provisioning(intent uuid)
  returns void plpgsql;

create function fan_out(event events)
  returns integer plpgsql;

create function figures_of(of_width_s integer, steps integer)
  returns TABLE(figure text, label text, "values" double precision[]) sql stable;

create function fill_cause(f exchange_fills, of_owner text)
  returns text sql stable;

create function find_fill_gap(wallet text, from_at timestamp with time zone, complete_from timestamp with time zone)
  returns TABLE(since timestamp with time zone, until timestamp with time zone) sql stable;

create function finish_poll(registration uuid, polls_before integer, seen jsonb, next_s double precision)
  returns boolean plpgsql;

create function fix_bank_leg(intent uuid, reversed integer, held bigint, of_currency text, arrival text, available_at_ms double precision, movements jsonb DEFAULT '[]'::jsonb)
  returns text plpgsql;

create function follow_ending(intent uuid, of_kind text, ending text)
  returns void plpgsql;

create function follow_money(of_payment text, was text, stop text)
  returns void plpgsql;

create function follow_purchase(purchase uuid)
  returns void plpgsql;

create function follow_refund(intent uuid)
  returns void plpgsql;

create function follow_wallet(wallet text)
  returns void sql;

create function forget_account_events(kept_s double precision, most integer)
  returns bigint sql;

create function forget_sign_ups(most integer)
  returns bigint sql;

create function found_exchange_positions(wallet text, sizes jsonb)
  returns void sql;

create function free_slot(intent uuid, has_responded boolean)
  returns void plpgsql;

create function grant_process_access()
  returns void plpgsql;

create function halt_budget(of_name text, halt_ms double precision)
  returns void sql;

create function hand_on_slot(at_upstream text, for_s double precision, responded_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns void plpgsql;

create function has_doubts(at_upstream text)
  returns boolean sql stable;

create function has_its_money(of_payment text)
  returns boolean sql stable;

create function has_left(held intents, left_by timestamp with time zone, sent_by timestamp with time zone)
  returns boolean sql immutable;

create function has_lent_slots(at_upstream text)
  returns boolean sql stable;

create function has_line(at_upstream text)
  returns boolean plpgsql stable;

create function has_live_worker()
  returns boolean sql stable;

create function has_proven_wallet(of_owner text, wallet text)
  returns boolean sql stable;

create function has_stored_response(of_caller text, of_key text)
  returns boolean sql stable;

create function held_legs(of_subject text, other text, of_currency text, amount bigint)
  returns jsonb sql stable;

create function hold_look_up_slot(at_upstream text, lease uuid, for_s double precision)
  returns boolean plpgsql;

create function hold_mail(mail uuid)
  returns void sql;

create function hurry_doubt(intent uuid)
  returns void sql;

create function hurry_doubts(at_upstream text)
  returns double precision plpgsql;

create function hurry_unsent(waiting uuid[], first boolean)
  returns integer sql;

create function invite_operator(new_id text, address text, new_role text, token_digest bytea, lives_s integer, mail uuid, sealed bytea)
  returns text plpgsql;

create function is_closing(of_trader text)
  returns boolean sql stable;

create function is_disabled(owner text)
  returns boolean sql stable;

create function is_exit(of_kind text, said boolean)
  returns boolean sql stable;

create function is_live_session(s user_sessions)
  returns boolean sql stable;

create function is_order_id(of_owner text, its_name uuid)
  returns boolean sql stable;

create function is_outbound(task text)
  returns boolean sql immutable;

create function is_paused(upstream text, owner text, exits boolean)
  returns boolean sql stable;

create function is_perpetual(coin text)
  returns boolean sql immutable;

create function is_provably_unmade(of_intent uuid)
  returns boolean sql stable;

create function is_ready(intent uuid)
  returns boolean sql stable;

create function is_undecided(outcome jsonb)
  returns boolean sql immutable;

create function is_unrecorded(r registrations)
  returns boolean sql immutable;

create function is_urgent(of_lane text, at_position bigint)
  returns boolean plpgsql;

create function is_watched(account text)
  returns boolean sql stable;

create function issue_reveal_link(app text, link text, link_digest bytea, lives_s integer)
  returns timestamp with time zone plpgsql;

create function job_for(kind text, intent uuid, is_exit boolean, run_at timestamp with time zone)
  returns graphile_worker.job_spec sql stable;

create function keep_lost_money(made jsonb)
  returns TABLE(kind text, processor_id text, subject_id text, amount_cents integer, currency text, status text, user_id text) sql;

create function lane_job(endpoint text, lane integer, run_at timestamp with time zone)
  returns graphile_worker.job_spec sql immutable;

create function leave_lane(lane_name text, leaver uuid)
  returns void plpgsql;

create function leave_slots(ended uuid[])
  returns void plpgsql;

create function ledger_account(of_kind text, of_holder text, of_currency text)
  returns bigint plpgsql;

create function ledger_balances(as_of timestamp with time zone, known_at timestamp with time zone, of_owner text DEFAULT NULL::text)
  returns TABLE(account text, holder text, currency text, balance bigint) sql stable;

create function ledger_sum(of_subject text, accounts text[], of_currency text)
  returns bigint sql stable;

create function leg(from_account text, to_account text, currency text, amount bigint)
  returns jsonb sql immutable;

create function lend_slot(at_upstream text, to_exit boolean)
  returns TABLE(slot integer, for_exits boolean) plpgsql;

create function liquidations(wallet text, added exchange_fills[])
  returns jsonb[] sql stable;

create function listen_to_accounts(accounts text[], lease_s double precision, stale_s double precision)
  returns void sql;

create function lock_enrollment_of(of_key uuid)
  returns void plpgsql;

create function lock_event_log(of_owner text)
  returns void sql;

create function lock_line(at_upstream text)
  returns void sql;

create function lock_live_session(session text)
  returns boolean plpgsql;

create function lock_paces(wanted text[])
  returns bigint sql;

create function lock_payment_of(account text)
  returns void plpgsql;

create function lock_trader(of_venue text, of_trader text)
  returns void sql;

create function log_in(for_user text, checked_hash text, new_hash text, step bigint, session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea)
  returns timestamp with time zone plpgsql;

create function loss_state(kind text, status text, OUT rank integer, OUT is_live boolean)
  returns record sql immutable;

create function losses_of(of_payment text, OUT refunded bigint, OUT withdrawn bigint, OUT open_refunds bigint, OUT open_disputes bigint)
  returns record sql stable;

create function lost_leg_since(payout text)
  returns timestamp with time zone sql stable;

create function lower_proof(at_upstream text, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
  returns void plpgsql;

create function mail_job(mail uuid, run_at timestamp with time zone)
  returns graphile_worker.job_spec sql immutable;

create function mail_user(for_user text, to_template text, mail uuid, with_data jsonb, lives_s integer)
  returns void sql;

create function make_wallet_due(wallet text, in_s double precision)
  returns void sql;

create function mark_in_doubt(intent uuid, held_fence integer, delay_s double precision, why text DEFAULT NULL::text, answered boolean DEFAULT false, is_over boolean DEFAULT false, responded_s double precision DEFAULT NULL::double precision)
  returns boolean plpgsql;

create function mark_key_rejected(of_key uuid)
  returns void sql;

create function may_begin_sending(held intents, claims boolean)
  returns boolean plpgsql stable;

create function may_run_alongside(newcomer text, others text[])
  returns boolean sql immutable;

create function measure_now(budget text, capacity double precision, per_s double precision)
  returns void sql;

create function money_job(task text, payload json, run_at timestamp with time zone)
  returns graphile_worker.job_spec sql immutable;

create function move_alone(operator text, of_subject text, cents bigint, most bigint, from_address text, of_request text)
  returns boolean plpgsql;

create function move_exchange_positions(wallet text, coins text[])
  returns void sql;

create function move_prop_account(account text, from_status text, to_status text, reason text)
  returns boolean plpgsql;

create function move_wallet_link(wallet text, to_partner text, by_operator text, because text, of_hotkey text DEFAULT NULL::text, OUT verdict text, OUT subaccount_id integer)
  returns record plpgsql;

create function name_of_order(subject uuid, o orders, i intents)
  returns uuid sql immutable;

create function name_payment(payment text, processor_id text)
  returns void plpgsql;

create function netstring(value text)
  returns text sql immutable;

create function newer_exits(of_trader text, of_pair text, than_intent uuid)
  returns SETOF text sql stable;

create function next_nonce(of_signer text, count integer)
  returns bigint sql;

create function next_without_slot(at_upstream text, exits boolean, in_share boolean)
  returns TABLE(id uuid, kind text) plpgsql;

create function note_absence(order_id uuid, is_absent boolean, for_s double precision)
  returns boolean plpgsql;

create function note_balance(account text, shown jsonb)
  returns boolean plpgsql;

create function note_bank_payout(processor_payout text, shown_status text, cents bigint, of_currency text, failure text, at timestamp with time zone DEFAULT NULL::timestamp with time zone, back text DEFAULT NULL::text)
  returns text plpgsql;

create function note_comparison(of_venue text, of_trader text, of_pair text, seen_version integer, now_wanted jsonb, now_seen jsonb, confirm_s double precision, next_s double precision, repair uuid DEFAULT NULL::uuid)
  returns text plpgsql;

create function note_ending(endpoint text, said jsonb)
  returns void plpgsql;

create function note_exits(of_order uuid, report jsonb, follow_ups jsonb)
  returns void plpgsql;

create function note_holding(payout text, account text, reversed integer, of_currency text, movements jsonb)
  returns boolean plpgsql;

create function note_known_address(of_account text, from_address bytea)
  returns void sql;

create function note_left(intent uuid, held_fence integer)
  returns boolean plpgsql;

create function note_loss(of_payment text, loss jsonb, at_ms double precision)
  returns text plpgsql;

create function note_payment(registration uuid, hash text, noted text)
  returns void sql;

create function note_payout_link(account text, session text)
  returns boolean plpgsql;

create function note_reached(intent uuid, for_s double precision)
  returns double precision plpgsql;

create function note_refund(of_payment text, refund jsonb)
  returns void plpgsql;

create function note_reversed(payout text, cents bigint, at timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns boolean plpgsql;

create function note_step(intent uuid, object text, arrival text, item jsonb, made_at timestamp with time zone)
  returns void plpgsql;

create function open_admin_session(admin text, checked_hash text, new_hash text, step bigint, session text, session_digest bytea, lives_s integer)
  returns TABLE(expires_at timestamp with time zone) plpgsql;

create function open_event_sweep(first_s double precision, overlap_s double precision)
  returns processor_cursor sql;

create function open_paid_account(of_payment text, new_id text, new_intent uuid, deadline_s double precision)
  returns boolean plpgsql;

create function open_reveal_link(link_digest bytea, new_id text, new_digest bytea, new_hint text)
  returns TABLE(app_id text, name text) plpgsql;

create function open_user_session(for_user text, session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea)
  returns timestamp with time zone plpgsql;

create function operator_obstacle(operator text, by_operator text, loses_admin boolean DEFAULT false)
  returns text plpgsql;

create function order_event(verb text, subject uuid, o orders, i intents)
  returns jsonb sql stable;

create function order_fill(o orders, account text)
  returns jsonb sql stable;

create function order_id_of(of_owner text, its_name uuid)
  returns uuid sql immutable;

create function pace_wait_s(pace text, most integer, ahead bigint)
  returns double precision sql stable;

create function pace_window()
  returns interval sql immutable;

create function partner_order_event(verb text, subject uuid, o orders, i intents)
  returns jsonb plpgsql stable;

create function pause_work(of_subject text, with_exits boolean, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns boolean plpgsql;

create function pay_arrived(payout text, item jsonb)
  returns void plpgsql;

create function payment_money(p payments)
  returns TABLE(received_cents integer, refunded_cents integer, disputed_cents integer, held_cents integer) sql stable;

create function payment_state(status text, refunded_cents integer, disputed_cents integer)
  returns text sql immutable;

create function payout_account_state(c connect_accounts)
  returns text sql immutable;

create function payout_event(p payouts)
  returns jsonb sql stable;

create function payout_money(p payouts)
  returns TABLE(transferred_cents integer, reversed_cents integer, reserved_cents integer) sql stable;

create function payout_obstacle(account text, to_account text, cents bigint, earned_cents bigint, besides text DEFAULT NULL::text, hold_h integer DEFAULT 0)
  returns text sql stable;

create function payout_state(p payouts)
  returns text sql stable;

create function placer_of(verb uuid)
  returns text sql stable;

create function plan_comparison(of_venue text, delay_s double precision)
  returns void sql;

create function plan_dispatch(endpoint text)
  returns void plpgsql;

create function plan_exit_watch(delay_s double precision)
  returns void sql;

create function plan_key_check(delay_s double precision)
  returns void sql;

create function plan_next_comparison(of_venue text, least_s double precision)
  returns void sql;

create function plan_next_reading(pause_s double precision)
  returns void sql;

create function plan_registration_poll(registration uuid, polls integer, delay_s double precision)
  returns void sql;

create function plan_sync(account text, delay_s double precision)
  returns void sql;

create function plan_task(task text, key text, delay_s double precision)
  returns void plpgsql;

create function plan_watch(account text, delay_s double precision)
  returns void sql;

create function position_after(f exchange_fills)
  returns numeric sql immutable;

create function position_since(of_owner text, moment timestamp with time zone)
  returns bigint plpgsql stable;

create function position_updates(wallet text, added exchange_fills[], of_owner text)
  returns jsonb[] sql stable;

create function post_entries(of_subject text, of_owner text, of_kind text, of_source text, said timestamp with time zone, holder text, legs jsonb)
  returns void plpgsql;

create function post_losses(p payments, said timestamp with time zone, of_source text)
  returns void plpgsql;

create function post_mail(mail uuid, to_template text, to_recipient text, with_data jsonb, sealed bytea, lives_s integer, of_app text DEFAULT NULL::text, of_user text DEFAULT NULL::text, in_name_of text DEFAULT NULL::text)
  returns void plpgsql;

create function presume_sent(intent uuid, held_fence integer, what jsonb)
  returns boolean plpgsql;

create function priority_of(is_exit boolean)
  returns integer sql immutable;

create function process_rights(process text)
  returns TABLE(of_table text, verbs text) sql stable;

create function protection_event(w wanted_exits, for_owner text)
  returns jsonb sql stable;

create function prove_password(for_user text, checked_hash text, new_hash text, step bigint)
  returns boolean plpgsql;

create function prove_platform(since timestamp with time zone, minutes double precision, until timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns void sql;

create function provision_again(account text, by_operator text, new_intent uuid, deadline_s double precision, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns text plpgsql;

create function prune_dead_jobs(kept_s double precision, most integer)
  returns bigint sql;

create function prune_requests(older_than_s double precision, most integer)
  returns bigint plpgsql;

create function quarantine(for_user text, of_session text DEFAULT NULL::text, all_keys boolean DEFAULT true)
  returns void plpgsql;

create function quarantine_endpoints(of_owner text, stolen text[])
  returns text[] sql;

create function queue_paused(of_subject text)
  returns integer sql;

create function reap_dead_workers(caller uuid, silent_s double precision, stopped_s double precision, unknown_s double precision)
  returns integer plpgsql;

create function reauthenticate(for_user text, checked_hash text, new_hash text, step bigint, session text)
  returns timestamp with time zone plpgsql;

create function recall_postponed()
  returns bigint sql;

create function record_account_event(account text, of_type text, payload jsonb)
  returns void plpgsql;

create function record_action(by_operator text, did text, about text, of_payment text, of_account text, because text, came_of_it jsonb)
  returns void sql;

create function record_bracket(bracket uuid, of_owner text, of_trader text, at_venue text, its_terms jsonb, its_state jsonb DEFAULT '{"lifecycle": "resting"}'::jsonb, its_exits jsonb DEFAULT NULL::jsonb, is_whole boolean DEFAULT false, by_intent uuid DEFAULT NULL::uuid, instead_of uuid DEFAULT NULL::uuid)
  returns uuid[] plpgsql;

create function record_checkout(intent uuid, held_fence integer, said jsonb, payment text, processor_id text, new_status text, sealed bytea)
  returns void plpgsql;

create function record_connect_account(intent uuid, held_fence integer, said jsonb, made jsonb)
  returns void plpgsql;

create function record_event(of_owner text, of_type text, payload jsonb, from_origin text DEFAULT 'service'::text)
  returns events sql;

create function record_events(of_owner text, of_type text, payloads jsonb[], from_origin text DEFAULT 'service'::text)
  returns SETOF events plpgsql;

create function record_exchange_exits(by_intent uuid, of_owner text, wallet text, of_pair text, exits jsonb, replaced text[], follow_ups jsonb)
  returns uuid[] plpgsql;

create function record_exchange_fills(wallet text, fills jsonb, ended jsonb, is_streamed boolean DEFAULT false)
  returns integer plpgsql;

create function record_exchange_funding(wallet text, payments jsonb, up_to timestamp with time zone)
  returns integer plpgsql;

create function record_exchange_order(placement uuid, wallet text, state text, report jsonb, follow_ups jsonb)
  returns uuid[] plpgsql;

create function record_filled_again(of_order uuid, said jsonb)
  returns void plpgsql;

create function record_late_fills(wallet text, oids text[])
  returns uuid[] plpgsql;

create function record_requests(batch jsonb, most integer)
  returns void sql;

create function record_restore_evidence(shown uuid[], made uuid[], most integer)
  returns TABLE(id uuid, kind text) sql;

create function record_sealed_result(intent uuid, members bytea)
  returns uuid[] sql;

create function record_subaccount(intent uuid, held_fence integer, said jsonb, made jsonb)
  returns void plpgsql;

create function record_sync(account text, from_status text, to_status text, reason text, shown_status text, shown_bucket text, broken jsonb DEFAULT NULL::jsonb, shown_uuid text DEFAULT NULL::text, shown_ms double precision DEFAULT NULL::double precision)
  returns void plpgsql;

create function record_verification_session(intent uuid, held_fence integer, said jsonb, session text)
  returns void plpgsql;

create function record_watch(account text, seen_version integer, shown jsonb, changes jsonb)
  returns boolean plpgsql;

create function recover_endpoint(of_owner text, endpoint text, since timestamp with time zone, most integer, per_second integer, pause_s integer)
  returns TABLE(verdict text, queued integer) plpgsql;

create function recover_since(backed_up_at timestamp with time zone)
  returns TABLE(kind text, intents integer) plpgsql;

create function redeliver(of_owner text, delivery text)
  returns text plpgsql;

create function refund_payment(payment text, by_operator text, because text, new_intent uuid, deadline_s double precision, of_request text)
  returns TABLE(intent_id uuid) plpgsql;

create function refund_state(of_payment text)
  returns text sql stable;

create function reinstate_account(account text, by_operator text, because text)
  returns text plpgsql;

create function reject_change()
  returns trigger plpgsql;

create function reject_key(of_key uuid)
  returns void plpgsql;

create function release_by_proof(intent uuid, asked_s double precision, left_s double precision, answered_s double precision)
  returns void plpgsql;

create function release_exits(of_trader text, cancelled text[], by_intent uuid, withdrawn jsonb DEFAULT '[]'::jsonb)
  returns void sql;

create function release_look_up_slot(at_upstream text, lease uuid)
  returns void plpgsql;

create function release_lost_jobs()
  returns integer sql;

create function release_slot(intent uuid, at_upstream text, responded_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns void plpgsql;

create function remove_operator_authenticator(operator text, by_operator text)
  returns text plpgsql;

create function remove_session(for_user text, session text)
  returns void plpgsql;

create function renew_code(app text, address text, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea)
  returns void plpgsql;

create function renew_login_code(for_user text, of_scope bytea, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea)
  returns void plpgsql;

create function request_payout(new_id text, account text, to_account text, cents integer, of_currency text, earned_cents bigint, in_session text DEFAULT NULL::text)
  returns text plpgsql;

create function request_reset(app text, address text, token_digest bytea, lives_s integer, mail uuid, sealed bytea, mails_unverified boolean DEFAULT true)
  returns void plpgsql;

create function requeue_stranded()
  returns integer plpgsql;

create function requeue_stranded_lanes()
  returns integer plpgsql;

create function requeue_unfinished()
  returns integer plpgsql;

create function require_held()
  returns trigger plpgsql;

create function rerun_dead_job(job bigint, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns TABLE(done boolean, verdict text, is_safe boolean, would_do text, reason text) plpgsql;

create function rerun_intent(intent uuid, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns TABLE(done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text) plpgsql;

create function rerun_intents(of_kind text, of_owner text, in_state text, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns TABLE(verdict text, done boolean, intents integer) plpgsql;

create function rerun_locked(ids uuid[], by_operator text, because text, noted jsonb)
  returns TABLE(done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text) plpgsql;

create function reserve_earnings(p payouts, cents integer)
  returns void sql;

create function reserve_key(of_caller text, of_key text, request bytea, abandoned_s double precision, of_owner text DEFAULT NULL::text)
  returns TABLE(verdict text, status integer, sealed bytea) plpgsql;

create function reserved_cents_of(accounts text[], besides text DEFAULT NULL::text)
  returns bigint sql stable;

create function resolve_payout(payout text, by_operator text, because text, made text, arrival text, item jsonb, step_intent uuid DEFAULT NULL::uuid, noted jsonb DEFAULT '{}'::jsonb, made_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns text plpgsql;

create function resting_order_changes(wallet text, ended jsonb, OUT changes jsonb, OUT executed jsonb)
  returns record plpgsql;

create function restore_slots(at_upstream text, slots integer, for_s double precision, for_exits integer)
  returns void sql;

create function restore_unlogged()
  returns void plpgsql;

create function resume_account(account text)
  returns void plpgsql;

create function resume_sending(of_owner text)
  returns void plpgsql;

create function retry_delivery(delivery text, by_operator text, because text, noted jsonb DEFAULT '{}'::jsonb)
  returns text plpgsql;

create function retry_intent(intent uuid, held_fence integer, delay_s double precision, said jsonb, never_left boolean DEFAULT false)
  returns boolean plpgsql;

create function retry_mail(mail uuid, delay_s double precision, why text)
  returns boolean plpgsql;

create function return_pace(pace text, sent_at timestamp with time zone)
  returns void sql;

create function returned_at_of(p payments)
  returns timestamp with time zone sql stable;

create function reverse_payout(payout text, by_operator text, because text, item jsonb)
  returns TABLE(verdict text, intent_id uuid) plpgsql;

create function revive_registration(registration uuid, polls_before integer, hash text, noted text)
  returns boolean plpgsql;

create function revoke_enrollment(of_owner text, wallet text)
  returns boolean plpgsql;

create function revoke_stolen_key(stolen text)
  returns TABLE(keys text[], endpoints text[]) plpgsql;

create function roll_up(budget text, capacity double precision, per_s double precision)
  returns void sql;

create function roll_up_endings(of_width_s integer)
  returns void plpgsql;

create function rotate_app_secret(app text, bought_with text, new_id text, new_digest bytea, new_hint text, overlap_s integer)
  returns TABLE(previous_expires_at timestamp with time zone) plpgsql;

create function rotate_webhook_secret(of_owner text, endpoint text, new_id text, new_sealed bytea, overlap_s integer, used jsonb)
  returns timestamp with time zone plpgsql;

create function send_again(intent uuid, held_fence integer, said jsonb, owed boolean DEFAULT false)
  returns boolean plpgsql;

create function set_code(app text, address text, code_hmac bytea, attempts integer, lives_s integer)
  returns void sql;

create function set_operator_role(operator text, by_operator text, new_role text)
  returns text plpgsql;

create function settle_claim(intent uuid, held_fence integer, ending text, said jsonb, responded_s double precision DEFAULT NULL::double precision)
  returns void plpgsql;

create function settle_intent(intent uuid, held_fence integer, ending text, said jsonb, responded_s double precision DEFAULT NULL::double precision)
  returns boolean plpgsql;

create function settle_money(of_payment text, said timestamp with time zone DEFAULT now(), of_source text DEFAULT NULL::text)
  returns void plpgsql;

create function settle_payout(payout text)
  returns void plpgsql;

create function share_locks(batch jsonb, wait_ms integer DEFAULT NULL::integer)
  returns jsonb plpgsql;

create function shown_fill(f exchange_fills, of_owner text)
  returns jsonb sql stable;

create function sign_agreement(of_app text, by_user text, version text, name text, url text, sha256 text, from_address text, agent text)
  returns agreement_signatures plpgsql;

create function sign_up(app text, address text, new_id text, salt bytea, new_hash text, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea)
  returns text plpgsql;

create function signals_pace(trader text)
  returns text sql immutable;

create function slot_holders(at_upstream text)
  returns uuid[] sql stable;

create function slot_job(kind text, intent uuid, is_exit boolean, run_at timestamp with time zone)
  returns graphile_worker.job_spec sql stable;

create function slots_to_assign(at_upstream text)
  returns integer sql stable;

create function sortable_from(prefix text, moment timestamp with time zone)
  returns text sql immutable;

create function sortable_id(prefix text, moment timestamp with time zone DEFAULT clock_timestamp())
  returns text sql;

create function sortable_time(id text)
  returns timestamp with time zone sql immutable;

create function spend(batch jsonb)
  returns TABLE(name text, budget integer, base_s double precision, remaining integer, ends_in_s double precision) plpgsql;

create function spend_pace(pace text, n integer)
  returns void plpgsql;

create function spend_shares(of_name text, capacity double precision, per_s double precision, allowance double precision, batch jsonb)
  returns TABLE(spent integer[], wait_ms double precision) plpgsql;

create function spends_key(i intents)
  returns boolean sql immutable;

create function start_lanes(endpoints text[])
  returns void plpgsql;

create function state_exchange_fills(wallet text, executed jsonb)
  returns void sql;

create function state_exit_fills(wallet text, added exchange_fills[])
  returns void sql;

create function state_fees(wallet text, oids text[])
  returns void sql;

create function state_fills(fills jsonb)
  returns void plpgsql;

create function state_money(of_transaction bigint)
  returns void sql;

create function state_registration()
  returns trigger plpgsql;

create function statement_id(of_owner text, kind text, account text, reference text, progress numeric, subject uuid)
  returns text sql stable;

create function step_lanes(batch jsonb)
  returns TABLE(n integer, verdict text, held jsonb) plpgsql;

create function submit_lost_transfers()
  returns SETOF text plpgsql;

create function submit_payout(payout text, of_owner text, of_user text, item jsonb, earned_cents bigint, hold_h integer DEFAULT 0, in_session text DEFAULT NULL::text)
  returns TABLE(verdict text, intent_id uuid) plpgsql;

create function sum_executions(wallet text, number text, known numeric, price numeric, of_order uuid)
  returns TABLE(filled numeric, worth numeric, known_worth numeric, is_changed boolean) sql stable;

create function sweep_prop_accounts(every_s double precision, most integer)
  returns bigint sql;

create function sweep_watches(stale_s double precision, most integer)
  returns bigint sql;

create function take_balance_changes(batch jsonb, since timestamp with time zone, until timestamp with time zone)
  returns bigint plpgsql;

create function take_deliveries(batch jsonb, held integer[])
  returns TABLE(n integer, delivery jsonb) sql;

create function take_due_wallets(most integer, busy_s double precision, idle_s double precision)
  returns TABLE(ex_wallet text, read_to timestamp with time zone, is_full boolean, is_new boolean, funding_from timestamp with time zone) sql;

create function take_event_page(of_sweep integer, batch jsonb, next_after text)
  returns TABLE(event_id text, new_outcome text) plpgsql;

create function take_free_slot(intent uuid, at_upstream text, slots integer, for_s double precision, exits boolean)
  returns integer plpgsql;

create function take_processor_events(batch jsonb, came_by text)
  returns TABLE(event_id text, new_outcome text) plpgsql;

create function take_traders_due(of_venue text, most integer, hold_s double precision)
  returns SETOF text sql;

create function take_up_events(object text)
  returns void plpgsql;

create function terms_of(order_id uuid, changed jsonb)
  returns jsonb sql stable;

create function test_endpoint(of_owner text, endpoint text)
  returns text plpgsql;

create function tier_verdict(item jsonb, is_free boolean)
  returns text sql stable;

create function told_of_exits(w wanted_exits, entry jsonb)
  returns text sql stable;

create function trading_verdict(a prop_accounts, trader text)
  returns text sql immutable;

create function try_code(app text, address text, hmacs bytea[], of_network integer, network bytea)
  returns text plpgsql;

create function try_login_code(for_user text, of_scope bytea, hmacs bytea[])
  returns boolean plpgsql;

create function turns_of(lane_name text, of_owner text)
  returns text sql immutable;

create function unread_stop(of_payment text)
  returns text sql stable;

create function unsent_entries(trader text)
  returns bigint sql stable;

create function use_approval(of_digest bytea)
  returns SETOF approvals sql;

create function use_credentials(credential text)
  returns jsonb plpgsql;

create function venue_of(of_kind text)
  returns text sql stable;

create function verb_fill(subject uuid, o orders, i intents)
  returns jsonb sql stable;

create function verb_subject(i intents)
  returns uuid sql immutable;

create function verify_by_code(app text, address text, hmacs bytea[], session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea)
  returns TABLE(user_id text, expires_at timestamp with time zone) plpgsql;

create function wait_for_pace(intent uuid, pace text, per_minute integer, kept integer, exits boolean)
  returns boolean plpgsql;

create function wait_for_pause(intent uuid, held_fence integer, exits boolean, claims boolean)
  returns boolean plpgsql;

create function wallet_followers(wallet text)
  returns TABLE(owner text, enrolled_at timestamp with time zone) sql stable;

create function want_exits(of_venue text, of_owner text, of_trader text, of_pair text, of_order uuid, by_intent uuid, exits jsonb, replaced text[] DEFAULT '{}'::text[])
  returns void plpgsql;

create function was_accepted(item jsonb)
  returns boolean sql stable;

create function watch_lane(endpoint text, of_lane integer, delay_s double precision)
  returns void sql;

create function webhook_job_key(endpoint text, job text)
  returns text sql immutable;

create function whole_since(of_owner text, moment timestamp with time zone)
  returns timestamp with time zone sql stable;

create function wipe_retired_keys()
  returns bigint sql;

create function withdraw_approvals(operator text)
  returns void sql;

create function without_legs(entry jsonb, legs text[])
  returns jsonb sql immutable;

create function worker_limits(OUT dead_s double precision, OUT stopped_s double precision, OUT orphaned_s double precision)
  returns record sql immutable;

create function write_payment(payment text, new_status text, at timestamp with time zone, cents integer, of_currency text, differs boolean, cleared boolean, moved timestamp with time zone, emitted text DEFAULT NULL::text, said text DEFAULT NULL::text, account jsonb DEFAULT NULL::jsonb)
  returns void plpgsql;

create function yield_to_newcomers(newcomers uuid[])
  returns void plpgsql;

-- Removes a failed account from the lists permanently; a paid one only once nothing of its money is kept. Verdicts: done, unknown, not_failed, abandoned, owes. Recorded in ops.actions.
create function ops.abandon_account(account text, who text, why text)
  returns text sql security definer;

-- Internal to the kit.
create function ops.assess_job_rerun(job bigint, OUT verdict text, OUT reason text)
  returns record plpgsql stable;

-- Internal to the kit.
create function ops.assess_rerun(i intents, is_held boolean, run_at timestamp with time zone, locked_at timestamp with time zone, OUT verdict text, OUT reason text)
  returns record plpgsql stable;

-- What re-running many open intents would do, by verdict: the oldest 1,000 of a verb, of a partner or app, and in a state (queued, running, in_doubt); null is any. Changes nothing; ops.rerun_all does it.
create function ops.assess_reruns(kind text DEFAULT NULL::text, owner text DEFAULT NULL::text, state text DEFAULT NULL::text)
  returns TABLE(verdict text, is_safe boolean, would_do text, intents integer, oldest_at timestamp with time zone, example uuid) plpgsql stable security definer;

-- Internal to the kit.
create function ops.assessments_of(ids uuid[])
  returns TABLE(intent_id uuid, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text) sql stable security definer;

-- Assigns the subaccount <entity>_<number> at the network to a failed account; it is tradeable once the network reports it active. Class and size are not checked here: check them first, or use the console, which does. Verdicts: done, unknown, not_failed, abandoned, returned, open, taken, malformed, other_entity (the entity is another app's, or not its app's own), not_given (no subaccount of the entity with this or a later number is known here, so it may not exist: use the console). Recorded in ops.actions.
create function ops.attach_account(account text, hotkey text, who text, why text)
  returns text sql security definer;

-- Gives a partner the subaccount <entity>_<number> at the network that its registration (an intent of ops.undecided_intents) has made. Class, size and wallet are taken from the registration and not checked at the network: check them first, or use the console, which does. Verdicts: done, unknown, not_undecided, taken, malformed, other_entity, not_given (as of ops.attach_account). Recorded in ops.actions.
create function ops.attach_registration(registration uuid, hotkey text, who text, why text)
  returns text sql security definer;

-- Internal to the kit.
create function ops.attachable(hotkey text, for_owner text, OUT obstacle text, OUT made jsonb)
  returns record sql stable;

-- Detaches a payout account (acct_) from its user: no payout goes there any more, and the user may open another. Verdicts: done, unknown, detached. Recorded in ops.actions.
create function ops.detach_payout_account(account text, who text, why text)
  returns text sql security definer;

-- Disables an operator, by id or address, and ends the sessions. Verdicts: done, unknown, last_admin. Recorded in ops.actions.
create function ops.disable_operator(operator text, who text, why text)
  returns text sql security definer;

-- Takes a row off ops.undecided_intents (its intent_id) or ops.lost_money (its processor_id), once you have done what it needs, or seen that there is nothing left to do. Nothing else changes: an effect stays unknown, and a lost transfer counts as paid out. A payment that a later recovery finds paid is listed again. Also ends an intent of ops.intents_in_doubt that is absent although its nonce is used. Verdicts: done, not_open, unknown. Recorded in ops.actions.
create function ops.dismiss(subject text, who text, why text)
  returns text plpgsql security definer;

-- Closes an event of ops.unreadable_events or ops.suspect_payments after you have read its object at the processor: what it stopped goes on. Verdicts: done, unknown, not_open. Recorded in ops.actions.
create function ops.dismiss_event(event text, who text, why text)
  returns text sql security definer;

-- Enables an operator again, by id or address. Verdicts: done, unknown. Recorded in ops.actions.
create function ops.enable_operator(operator text, who text, why text)
  returns text sql security definer;

-- Ends every session of an operator, by id or address. Returns how many were open; null: there is no such operator. Recorded in ops.actions.
create function ops.end_operator_sessions(operator text, who text, why text)
  returns integer plpgsql security definer;

-- Ends a pause: what waits goes on at once. not paused; unknown: there is no such upstream, partner or app. Recorded in ops.actions.
create function ops.end_pause(subject text, who text, why text)
  returns text plpgsql security definer;

-- Internal to the kit.
create function ops.enqueue_now(ids uuid[])
  returns void plpgsql;

-- The records that an id, an e-mail address, the first letters of a partner's or app's name, the hint of a key or the number of a trader name: intents, orders, requests, payments, prop accounts, users, deliveries, events, endpoints, jobs, wallets, hotkeys, payouts, registrations, mails, keys, apps, partners, operators and objects of the processor. With the ids of their relatives; the newest 20 of a kind, and whether there are more.
create function ops.find(searched text, of_owner text DEFAULT NULL::text)
  returns TABLE(kind text, id text, title text, state text, owner text, created_at timestamp with time zone, relatives jsonb, is_more boolean) sql stable security definer;

-- Internal to the kit.
create function ops.given_name(who text)
  returns jsonb sql immutable;

-- Lets a role use the kit. Only for the owner of the database. Later releases keep these rights.
create function ops.grant_access(role_name name)
  returns void plpgsql;

-- The full story of one intent, oldest first: accepted, sent, ended, the objects it belongs to, events, operators' actions, and the present state of its lane and job, and what it waits for. No row: there is no such intent.
create function ops.history(intent uuid)
  returns TABLE(at timestamp with time zone, what text, detail text) plpgsql stable security definer;

-- Internal to the kit.
create function ops.history_of_events(ids jsonb, i intents)
  returns TABLE(at timestamp with time zone, what text, detail text) sql stable;

-- Internal to the kit.
create function ops.history_of_records(ids jsonb, i intents)
  returns TABLE(at timestamp with time zone, what text, detail text) sql stable;

-- Whether the worker that has held a job since a time is alive: ops.is_worker_alive(locked_by, locked_at).
create function ops.is_worker_alive(pool text, held_since timestamp with time zone)
  returns boolean sql stable security definer;

-- The balance of every account of the ledger before a time by the processor's clock, as it was known at a time by ours. Debits are positive.
create function ops.ledger_balances(as_of timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, known_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
  returns TABLE(account text, payout_account text, currency text, balance bigint) sql stable security definer;

-- The rows of ops.failed_accounts.
create function ops.list_failed_accounts()
  returns TABLE(prop_account_id text, app_id text, user_id text, payment_id text, processor_payment_intent_id text, tier_id text, asset_class text, account_size numeric, failure_reason text, intent_id uuid, created_at timestamp with time zone, failed_at timestamp with time zone, safe_action text) sql stable security definer;

-- Payments older than `minutes` that were neither fulfilled nor refunded.
create function ops.list_paid_without_account(minutes double precision DEFAULT 10)
  returns TABLE(payment_id text, app_id text, user_id text, amount_cents integer, currency text, paid_at timestamp with time zone, prop_account_id text, account_status text, failure_reason text, intent_id uuid, intent_state text, safe_action text, held_cents integer, held_currency text) sql stable security definer;

-- The rows of ops.stranded_payouts.
create function ops.list_stranded_payouts()
  returns TABLE(payout_id text, app_id text, user_id text, prop_account_id text, processor_account_id text, processor_transfer_id text, status text, amount_cents integer, transferred_cents integer, reversed_cents integer, currency text, failure_reason text, since timestamp with time zone, safe_action text, step text, step_state text) sql stable security definer;

-- The rows of ops.transactions.
create function ops.list_transactions()
  returns TABLE(pid integer, role text, application text, address text, state text, prepared_as text, began_at timestamp with time zone, age_s double precision) sql stable security definer;

-- The name that people know a record by: the name of an app or partner, the address of a user or operator, or of the user that a payment, account or payout belongs to, the verb of an intent. Null if it has none.
create function ops.name_of(id text)
  returns text sql stable security definer;

-- Internal to the kit.
create function ops.note(who text, did text, about text, why text, came_of_it jsonb)
  returns void sql;

-- Internal to the kit.
create function ops.note_rejected(about text, who text, did text, why text, verdict text)
  returns text sql;

-- Internal to the kit.
create function ops.note_verdict(about text, who text, did text, why text, verdict text)
  returns text sql;

-- Internal to the kit.
create function ops.open_intents(kind text, owner text, state text)
  returns TABLE(id uuid, created_at timestamp with time zone) sql stable security definer;

-- Internal to the kit.
create function ops.operator_of(operator text)
  returns text sql stable;

-- Sends nothing new to an upstream (netvenue, exvenue, processor, registrar), or for a partner or app, until ops.end_pause; with `exits` nothing that reduces a risk either. What was sent is reconciled; what waits past its deadline expires unsent. An existing pause is replaced; the result says whose it was, and one end ends both. Without `exits` the former setting stays. unknown: there is no such subject. Recorded in ops.actions.
create function ops.pause(subject text, who text, why text, exits boolean DEFAULT NULL::boolean)
  returns text plpgsql security definer;

-- Requests the subaccount of a failed account again, only if it is proven that none was created. Verdicts: done, unknown, not_failed, abandoned, returned, unproven. Recorded in ops.actions.
create function ops.provision_account(account text, who text, why text, deadline_s double precision DEFAULT 3600)
  returns text sql security definer;

-- Lets the payer of a payment in ops.lost_registrations buy again, once you know which address was registered with it, or an address whose payment the registrar took and never recorded, or for which it got no account (ops.unrecorded_registrations), once the registrar has returned it or will not record it: the registration ends as failed. Verdicts: done, unknown (not there, or released), ambiguous (the transaction paid for several payers, and nothing was released: name one in paid_by). Recorded in ops.actions.
create function ops.release_registration(payment text, who text, why text, paid_by text DEFAULT NULL::text)
  returns text plpgsql security definer;

-- Removes the authenticator of an operator, by id or address, and ends the sessions. The password stays: whoever has it enrolls the next one, so set a new one by admin:create --reset if somebody else may know it. Verdicts: done, unknown. Recorded in ops.actions.
create function ops.remove_operator_authenticator(operator text, who text, why text)
  returns text sql security definer;

-- Internal to the kit.
create function ops.require_filter(kind text, owner text, state text)
  returns void plpgsql stable;

-- Internal to the kit.
create function ops.require_who_and_why(who text, why text)
  returns void plpgsql;

-- Runs an intent again if safe_to_rerun allows it. An unsent intent is queued, a sent one is only reconciled, one at the processor is sent again under its key if it is not there, an ended one stays unchanged (done is false). Rejected where none is needed (at_work), and if it could act twice. Always recorded in ops.actions. No row: there is no such intent.
create function ops.rerun(intent uuid, who text, why text)
  returns TABLE(done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text) plpgsql security definer;

-- Runs the open intents again that ops.assess_reruns names, each as ops.rerun does: unsent ones are queued, others only reconciled, what could act twice stays. Recorded for each in ops.actions.
create function ops.rerun_all(kind text, owner text, state text, who text, why text)
  returns TABLE(verdict text, done boolean, intents integer) plpgsql security definer;

-- Queues a dead job without an intent again, or one that has thrown and is due later, with all of its attempts, if safe_to_rerun_job allows it. One that has nothing to do any more is deleted. Always recorded in ops.actions. No row: there is no such job.
create function ops.rerun_job(job bigint, who text, why text)
  returns TABLE(done boolean, verdict text, is_safe boolean, would_do text, reason text) plpgsql security definer;

-- Records what you found at the processor of the step of a payout whose effect is unknown: the id of the transfer (tr_), payout (po_) or reversal (trr_) with its intent's id in the metadata, or 'nothing' if you have read the whole list and there is none. After 'nothing' the money may be moved again: the console looks for you and is safer. Verdicts: done, unknown, not_open, malformed, taken. Recorded in ops.actions.
create function ops.resolve_payout(payout text, made text, who text, why text, deadline_s double precision DEFAULT 3600)
  returns text sql security definer;

-- Sends again everything an endpoint missed since a time: the oldest 10,000, 50 per second, at most once a minute (too_soon), so that a receiver that has just recovered is not overloaded. Recorded in ops.actions.
create function ops.retry_deliveries_of(endpoint text, who text, why text, since timestamp with time zone DEFAULT (now() - '7 days'::interval))
  returns TABLE(verdict text, queued integer) plpgsql security definer;

-- Sends one delivery again with its id, from the start of the retry plan. Verdicts: queued, unknown, inactive (its endpoint is). Recorded in ops.actions.
create function ops.retry_delivery(delivery text, who text, why text)
  returns text sql security definer;

-- What a re-run of an intent would do, and whether it is safe. Verdicts: queued_again, reconcile_again, send_again (under the same key at the processor), finished (nothing to do), would_act_twice, at_work. Also whether it was sent, and the upstream's result so far. Changes nothing. No row: there is no such intent.
create function ops.safe_to_rerun(intent uuid)
  returns TABLE(verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text) sql stable security definer;

-- What a re-run of a dead job without an intent would do, and whether it is safe. Verdicts: queued_again, finished (nothing to do: it is deleted), at_work (it has not failed), would_act_twice (it is for an intent, or of an unknown task). Changes nothing. No row: there is no such job.
create function ops.safe_to_rerun_job(job bigint)
  returns TABLE(verdict text, is_safe boolean, would_do text, reason text) sql stable security definer;

-- The ids of the objects that an intent belongs to: order, trader, prop account, payment, payout, registration, user.
create function ops.subjects_of(intent uuid)
  returns jsonb sql stable security definer;

-- Internal to the kit.
create function ops.upstream_result(i intents)
  returns text sql immutable;

-- Internal to the kit.
create function ops.waits_behind(i intents)
  returns uuid sql stable security definer;

-- Internal to the kit.
create function ops.waits_of(only_ids uuid[])
  returns TABLE(intent_id uuid, kind text, owner text, state text, is_exit boolean, created_at timestamp with time zone, reason text, detail text, until timestamp with time zone, behind uuid, again_s double precision) sql stable security definer;

-- What an open intent waits for: the reason, in words, and until when at most, where that is known. No row: it has ended, or there is no such intent.
create function ops.why(intent uuid)
  returns TABLE(reason text, detail text, until timestamp with time zone) sql stable security definer;
