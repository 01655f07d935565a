-- Opens a session for a user whose password was correct, only if it is still the user's password. With TOTP on, only for a time step after
-- the last accepted one: of several uses of one code exactly one succeeds. Null: rejected.
create or replace function log_in(
  for_user text, checked_hash text, new_hash text, step bigint,
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns timestamptz
language plpgsql as $$
begin
  update users u
  set totp_step = coalesce(step, u.totp_step), password_hash = coalesce(new_hash, u.password_hash)
  where u.id = for_user and u.password_hash = checked_hash and u.verified_at is not null
    and case when u.totp_enabled_at is null then step is null else step > u.totp_step end;
  if not found then
    return null;
  end if;
  return open_user_session(for_user, session, session_digest, lives_s, from_address, address_digest);
end $$;
