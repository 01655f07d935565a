-- Keys that traders' programs trade with. Each opens one prop account, and nothing beside trading it.
create table trader_keys (
  id text primary key,
  key_id text not null constraint trader_keys_key_id_once unique,
  digest bytea not null constraint trader_keys_digest_taken unique,
  label text not null,
  owner text not null references apps (id),
  user_id text not null references users (id),
  prop_account_id text not null references prop_accounts (id),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index trader_keys_by_user on trader_keys (owner, user_id, created_at);

comment on column trader_keys.digest is 'SHA-256 of the whole key as X-Api-Key carries it.';
comment on column trader_keys.last_used_at is 'Kept to the minute: a key in use writes no oftener.';
