-- Records that a user's password was proven, only if it is still the user's password. With TOTP on, only for a time step after the last
-- accepted one: of several uses of one code exactly one succeeds. False: rejected. Locks the user.
create or replace function prove_password(for_user text, checked_hash text, new_hash text, step bigint) returns boolean
language plpgsql as $$
begin
  update users u
  set totp_step = coalesce(step, u.totp_step), password_hash = coalesce(new_hash, u.password_hash), password_proven_at = now()
  where u.id = for_user and u.password_hash = checked_hash and u.verified_at is not null
    and case when u.totp_enabled_at is null then step is null else step > u.totp_step end;
  return found;
end $$;
