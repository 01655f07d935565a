create table agreement_keys (
  kid text primary key,
  x text not null,
  signs_since timestamptz not null default now()
);

comment on table agreement_keys is
  'The public keys that have signed receipts of agreements. A release without one of them ends with an error: nobody could verify its receipts.';
comment on column agreement_keys.kid is 'The id of the key in AGREEMENT_KEYS, and in receipts.';
comment on column agreement_keys.x is 'The public key, as in its JWK (RFC 8037, section 2).';
