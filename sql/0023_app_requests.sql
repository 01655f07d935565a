-- Requests for access to v2, and the one-time links that show an app's credentials.
create table app_requests (
  id text primary key,
  company_name text not null,
  slug text not null,
  contact_email text not null,
  contact_name text,
  website text,
  use_case text not null,
  status text not null default 'pending' constraint app_requests_status_known
    check (status in ('pending', 'approved', 'declined')),
  app_id text references apps (id),
  decline_reason text,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  constraint app_requests_decided check ((status = 'pending') = (decided_at is null)),
  constraint app_requests_approved_has_app check ((status = 'approved') = (app_id is not null))
);
create index app_requests_by_age on app_requests (created_at, id);

create table reveal_links (
  id text primary key,
  digest bytea not null constraint reveal_links_digest_taken unique,
  app_id text not null references apps (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  superseded_at timestamptz,
  opened_at timestamptz
);
create unique index reveal_links_one_current on reveal_links (app_id) where superseded_at is null;

comment on table reveal_links is 'Opening a link makes the secret it shows; before that there is none to be stolen.';

-- Makes the one link of an app that counts. An earlier one is dead, and so is whatever secret the app had.
create function issue_reveal_link(app text, link text, link_digest bytea, lives_s integer) returns timestamptz
language plpgsql as $$
begin
  perform from apps a where a.id = app for update;
  update reveal_links l set superseded_at = now() where l.app_id = app and l.superseded_at is null;
  update app_secrets s
  set superseded_at = coalesce(s.superseded_at, now()), expires_at = now()
  where s.app_id = app and (s.expires_at is null or s.expires_at > now());
  insert into reveal_links (id, digest, app_id, expires_at)
  values (link, link_digest, app, now() + make_interval(secs => lives_s));
  return now() + make_interval(secs => lives_s);
end $$;

-- Opens a link once: the secret becomes the app's current one. No row: the link is unknown, dead, or was opened before.
create function open_reveal_link(link_digest bytea, new_id text, new_digest bytea) returns table (app_id text, name text)
language plpgsql as $$
declare
  app text;
begin
  update reveal_links l
  set opened_at = now()
  where l.digest = link_digest and l.opened_at is null and l.superseded_at is null and l.expires_at > now()
  returning l.app_id into app;
  if not found then
    return;
  end if;
  update app_secrets s
  set superseded_at = coalesce(s.superseded_at, now()), expires_at = now()
  where s.app_id = app and (s.expires_at is null or s.expires_at > now());
  insert into app_secrets (id, app_id, digest) values (new_id, app, new_digest);
  return query select a.id, a.name from apps a where a.id = app;
end $$;
