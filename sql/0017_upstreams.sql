create table request_budgets (
  name text primary key,
  tokens double precision not null,
  counted_at timestamptz not null,
  uses jsonb not null default '{}'
);

comment on table request_budgets is 'Token buckets that all processes spend from, one per upstream that limits requests by address.';
comment on column request_budgets.tokens is 'Tokens at counted_at. Negative after costs that became known only with a response.';
comment on column request_budgets.counted_at is 'In the future while nothing may be sent.';
comment on column request_budgets.uses is 'What each tenant has spent beyond its share at counted_at. It falls by the share.';

create table upstream_responses (
  upstream text not null,
  name text not null,
  body jsonb not null,
  read_at timestamptz not null,
  primary key (upstream, name)
);

comment on table upstream_responses is
  'The last response of reads that change seldom, and what the exchange''s stream has said last of orders of ours. All processes share them.';
comment on column upstream_responses.upstream is 'Its URL: numbers of assets differ from network to network.';
