create table trader_keys (
  id text primary key,
  key_id text not null constraint trader_keys_key_id_once unique,
  digest bytea not null constraint trader_keys_digest_taken unique,
  label text not null,
  owner text not null references apps (id),
  user_id text not null references users (id),
  prop_account_id text not null references prop_accounts (id),
  made_in_session text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

comment on table trader_keys is 'Keys for traders'' programs. Each allows trading one prop account and nothing else.';
comment on column trader_keys.digest is 'SHA-256 of the whole key as sent in X-Api-Key.';
comment on column trader_keys.made_in_session is 'The session that created the key. It may have been deleted since.';
comment on column trader_keys.last_used_at is 'Updated at most once a minute.';

create index trader_keys_of_user on trader_keys (user_id, created_at);

create table account_logs (
  prop_account_id text primary key,
  last_position bigint not null
);

comment on table account_logs is 'The end of each account''s event log. A writer locks the row until the commit, so positions have no gaps.';

create table account_events (
  prop_account_id text not null,
  position bigint not null,
  type text not null constraint account_events_type_known
    check (type in ('order', 'position', 'account', 'position.unprotected', 'position.protected')),
  data jsonb not null,
  created_at timestamptz not null,
  primary key (prop_account_id, position)
);

comment on table account_events is 'Events of a prop account, in commit order, for its event stream.';

create index account_events_by_age on account_events (created_at);

create table account_watches (
  prop_account_id text primary key,
  listened_until timestamptz not null default '-infinity',
  positions jsonb,
  version integer not null default 0,
  reconciled_at timestamptz not null default '-infinity',
  notified_at timestamptz not null default '-infinity'
);

comment on table account_watches is 'Prop accounts whose positions are polled. An account is polled only while it has a listener or a resting order.';
comment on column account_watches.listened_until is 'A lease: web processes with listeners renew it.';
comment on column account_watches.positions is 'Open positions as last sent to followers. Null before the first poll.';
comment on column account_watches.notified_at is 'When they were sent. Mere price changes are not emitted at every poll.';
comment on column account_watches.version is 'Incremented by every poll. A poll that was overtaken by another one emits nothing.';
