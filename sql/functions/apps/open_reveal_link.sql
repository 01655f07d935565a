-- Opens a link once: its secret becomes the app's current one. No row: the link is unknown, invalid, was opened before, or its app is
-- disabled. Enabling the app makes the link valid again, until it expires. Locks the app, then the link.
create or replace function open_reveal_link(link_digest bytea, new_id text, new_digest bytea, new_hint text) returns table (app_id text, name text)
language plpgsql as $$
declare
  app text;
begin
  perform from apps a where a.id = (select l.app_id from reveal_links l where l.digest = link_digest) for update;
  update reveal_links l
  set opened_at = now()
  where l.digest = link_digest and l.opened_at is null and l.superseded_at is null and l.expires_at > now() and not is_disabled(l.app_id)
  returning l.app_id into app;
  if not found then
    return;
  end if;
  update app_secrets s
  set superseded_at = coalesce(s.superseded_at, now()), expires_at = now()
  where s.app_id = app and (s.expires_at is null or s.expires_at > now());
  insert into app_secrets (id, app_id, digest, hint) values (new_id, app, new_digest, new_hint);
  return query select a.id, a.name from apps a where a.id = app;
end $$;
