-- Gives an app a new secret. The current one stays valid for `overlap_s` seconds, older ones at most that long. With `bought_with`, only if
-- that is still the current secret: of several rotations with one token exactly one succeeds. No row: another rotation came first.
create or replace function rotate_app_secret(app text, bought_with text, new_id text, new_digest bytea, new_hint text, overlap_s integer)
returns table (previous_expires_at timestamptz)
language plpgsql as $$
begin
  perform from apps a where a.id = app for update;
  if not found then
    return;
  end if;
  if bought_with is not null
    and not exists (select from app_secrets s where s.id = bought_with and s.app_id = app and s.superseded_at is null) then
    return;
  end if;
  update app_secrets s
  set superseded_at = coalesce(s.superseded_at, now()),
    expires_at = least(s.expires_at, now() + make_interval(secs => overlap_s))
  where s.app_id = app and (s.expires_at is null or s.expires_at > now());
  insert into app_secrets (id, app_id, digest, hint) values (new_id, app, new_digest, new_hint);
  return query select now() + make_interval(secs => overlap_s);
end $$;
