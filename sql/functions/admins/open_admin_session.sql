-- Opens a session for an admin whose password was correct. With a time step, only if it is after the last accepted one: of several uses of
-- one code exactly one succeeds. No row: the code was used, or the password has changed.
create or replace function open_admin_session(
  admin text, checked_hash text, new_hash text, step bigint, session text, session_digest bytea, lives_s integer
) returns table (expires_at timestamptz)
language plpgsql as $$
begin
  update admins a
  set totp_step = coalesce(step, a.totp_step), password_hash = coalesce(new_hash, a.password_hash)
  where a.id = admin and a.password_hash = checked_hash and a.disabled_at is null
    and case when a.totp_enrolled_at is null then step is null else step > a.totp_step end;
  if not found then
    return;
  end if;
  return query
  insert into admin_sessions as s (id, digest, admin_id, expires_at)
  values (session, session_digest, admin, now() + make_interval(secs => lives_s))
  returning s.expires_at;
end $$;
