create table agreement_signatures (
  id text primary key,
  app text not null references apps (id),
  user_id text not null,
  position bigint not null,
  agreement_version text not null,
  signature_name text not null,
  document_url text,
  document_sha256 text,
  address text,
  user_agent text,
  signed_at timestamptz(3) not null,
  previous_hash text not null,
  row_hash text not null,
  constraint agreement_signatures_one_chain unique (app, position)
);

comment on table agreement_signatures is
  'Signed agreements. One chain of rows per app: each row contains the hash of the previous row. Append only: triggers reject update, delete and '
  'truncate.';
comment on column agreement_signatures.address is 'The signer''s network address, as reported by the app or as seen by this service.';
comment on column agreement_signatures.previous_hash is 'The row hash of the previous position; 64 zeros at position 1.';
comment on column agreement_signatures.row_hash is 'SHA-256 of the canonical bytes in hexadecimal, see agreement_canonical.';

create index agreement_signatures_by_user on agreement_signatures (app, user_id, position);

create table agreement_chains (
  app text primary key references apps (id),
  length bigint not null,
  last_hash text not null
);

comment on table agreement_chains is 'The length of each chain, so that rows missing at its end are detected.';
