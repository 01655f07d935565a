create table api_requests (
  id bigint generated always as identity,
  owner text not null,
  at timestamptz not null,
  operation text not null,
  method text not null,
  status smallint not null,
  code text,
  request_id text not null,
  intent_id uuid,
  caller text not null,
  ms real not null,
  primary key (owner, id)
);

comment on table api_requests is
  'Requests of partners and apps, as the log of a web process has them, without anything that they carried. Of very many in a second only some.';
comment on column api_requests.caller is 'The kind of credential: partner, app, user, trader or ticket.';

-- What a caller was answered, by the request id that it names.
create index api_requests_by_request on api_requests (hashtextextended(request_id, 0)); -- ids are text of any length

create table api_usage (
  owner text not null,
  day date not null,
  operation text not null,
  status_class smallint not null,
  requests bigint not null,
  primary key (owner, day, operation, status_class)
);

comment on table api_usage is 'Requests of partners and apps by day (UTC), operation and class of the status, all of them.';
