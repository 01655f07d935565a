create table stream_tickets (
  digest bytea primary key constraint stream_tickets_digest_is_sha256 check (octet_length(digest) = 32),
  owner text not null,
  caller text not null,
  credentials text[] not null constraint stream_tickets_name_credentials check (cardinality(credentials) > 0),
  prop_account_id text references prop_accounts (id),
  expires_at timestamptz not null
);

comment on table stream_tickets is 'Tickets that open one event stream each, only as SHA-256 digests. A row is deleted when its ticket is used.';
comment on column stream_tickets.owner is 'The partner or app.';
comment on column stream_tickets.caller is 'Who holds the stream: the partner, the app, or the user of the app.';
comment on column stream_tickets.credentials is
  'What the ticket was issued with. It is worth nothing once one of them is invalid, and its stream ends then.';
comment on column stream_tickets.prop_account_id is 'The account of the stream. Null: the ticket is a partner''s.';

create index stream_tickets_by_age on stream_tickets (expires_at);
