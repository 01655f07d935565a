-- Where an app wants to be told, and of what.
create table webhook_endpoints (
  id text primary key,
  app text not null references apps (id),
  url text not null,
  events text[] not null constraint webhook_endpoints_subscribed check (cardinality(events) > 0),
  description text,
  active boolean not null default true,
  deactivated_because text constraint webhook_endpoints_reason_known
    check (deactivated_because in ('asked', 'gone', 'failing')),
  failing_since timestamptz,
  recovered_at timestamptz,
  lanes integer not null default 0 constraint webhook_endpoints_four_lanes check (lanes between 0 and 15),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhook_endpoints_inactive_has_reason check (active = (deactivated_because is null))
) with (fillfactor = 70);
create index webhook_endpoints_by_app on webhook_endpoints (app, created_at);

comment on column webhook_endpoints.failing_since is 'The first failure since the last success; null while it answers.';
comment on column webhook_endpoints.recovered_at is 'When missed deliveries were last asked for again.';
comment on column webhook_endpoints.lanes is
  'One bit for each lane, webhook:<endpoint>:<0 to 3>, that has a job. Set and cleared under the lock on this row.';

-- Secrets that sign an endpoint's deliveries: every one that has not expired signs each of them.
create table webhook_secrets (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id),
  sealed bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id);

comment on column webhook_secrets.expires_at is 'Set when it is rotated out: how long it goes on signing beside the new one.';

-- Gives an endpoint a new secret. The newest three of the old ones sign on for `overlap_s`, those before them no longer than that,
-- older ones no more. Null: the app has no such endpoint.
create function rotate_webhook_secret(of_app text, endpoint text, new_id text, new_sealed bytea, overlap_s integer) returns timestamptz
language plpgsql as $$
declare
  until timestamptz := now() + make_interval(secs => overlap_s);
begin
  perform from webhook_endpoints e where e.id = endpoint and e.app = of_app for no key update;
  if not found then
    return null;
  end if;
  update webhook_secrets s
  set expires_at = case when o.age <= 3 then least(s.expires_at, until) else now() end
  from (
    select id, row_number() over (order by created_at desc, id desc) as age
    from webhook_secrets
    where endpoint_id = endpoint and (expires_at is null or expires_at > now())
  ) o
  where s.id = o.id;
  insert into webhook_secrets (id, endpoint_id, sealed) values (new_id, endpoint, new_sealed);
  return until;
end $$;
