-- Creates the one valid link of an app. An earlier link and the app's present secret become invalid.
create or replace function issue_reveal_link(app text, link text, link_digest bytea, lives_s integer) returns timestamptz
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
