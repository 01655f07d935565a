-- Who may call v1, and with what. Keys are kept as SHA-256 digests only.
create table partners (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

create table partner_keys (
  id text primary key,
  partner_id text not null references partners (id),
  digest bytea not null constraint partner_keys_digest_taken unique,
  hint text not null,
  label text,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index partner_keys_by_partner on partner_keys (partner_id);

comment on column partner_keys.hint is 'The key''s first readable characters, for people to tell keys apart.';
