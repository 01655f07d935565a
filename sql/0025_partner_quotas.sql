alter table partners
  add column requests_per_minute integer not null default 60000 constraint partners_quota_positive check (requests_per_minute between 1 and 10000000);

comment on column partners.requests_per_minute is 'Requests that each web process takes from the partner in a minute; as many may come at once.';
