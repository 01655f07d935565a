create table partners (
  id text primary key,
  name text not null,
  contact_email text,
  requests_per_minute integer not null default 60000 constraint partners_quota_positive check (requests_per_minute between 1 and 10000000),
  daily_limits jsonb not null default '{}' constraint partners_daily_limits_named check (jsonb_typeof(daily_limits) = 'object'),
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

comment on table partners is 'Partners: the callers of v1.';
comment on column partners.contact_email is 'Who is notified that one of its webhook endpoints was deactivated.';
comment on column partners.requests_per_minute is 'Requests that each web process takes from the partner in a minute; as many may come at once.';
comment on column partners.daily_limits is 'Daily budgets other than the general ones, by name.';

create table partner_keys (
  id text primary key,
  partner_id text not null references partners (id),
  digest bytea not null constraint partner_keys_digest_taken unique,
  hint text not null,
  label text,
  rolled_from text references partner_keys (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

comment on table partner_keys is 'API keys of partners, as SHA-256 digests only.';
comment on column partner_keys.hint is 'The first characters of the key, so that people can distinguish keys.';
comment on column partner_keys.rolled_from is 'The key that the partner replaced by it.';
comment on column partner_keys.expires_at is 'Set when the partner rolls it: the end of the overlap. Such a key rolls nothing.';
comment on column partner_keys.last_used_at is 'To the minute, as far as requests are recorded.';

create index partner_keys_by_partner on partner_keys (partner_id);

create table idempotent_responses (
  caller text not null,
  key text not null,
  digest bytea not null,
  status integer,
  sealed bytea,
  created_at timestamptz not null default now(),
  primary key (caller, key),
  constraint idempotent_responses_whole check ((status is null) = (sealed is null))
);

comment on table idempotent_responses is
  'Responses of writes that need no intent, stored under the caller''s Idempotency-Key. They may contain a secret that is shown once, so they are '
  'sealed.';
comment on column idempotent_responses.status is 'Null while the first request is in progress, or if it was abandoned.';

create index idempotent_responses_by_age on idempotent_responses (created_at);

create table throttles (
  name text not null,
  subject bytea not null,
  budget integer not null,
  base interval not null,
  longest interval not null,
  spent integer not null default 1,
  level integer not null default 0,
  ends_at timestamptz not null,
  forget_at timestamptz not null,
  primary key (name, subject)
);

comment on table throttles is
  'Budgets of attempts per window and subject, against guessing. An overspent window doubles the length of the next one, up to `longest`. A '
  'rejected attempt never extends the present window, so every wait is bounded.';
comment on column throttles.subject is 'SHA-256 of the caller or the target; never the address itself.';
comment on column throttles.spent is 'Attempts in this window; budget + 1 stands for any larger number.';
comment on column throttles.level is 'Number of overspent windows in a row, minus one for every window that was not overspent.';

create index throttles_by_age on throttles (forget_at);
