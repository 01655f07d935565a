-- Verifies an address by its code, which try_code has found right, and opens a session. The password of its sign-ups becomes valid if all of them
-- gave the same one. If they differ, none does, since the code proves the address but not who chose which password. No row: the code was used,
-- replaced or has expired meanwhile, or the address is verified. Locks the user, then its code.
create or replace function verify_by_code(
  app text, address text, hmacs bytea[],
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns table (user_id text, expires_at timestamptz)
language plpgsql as $$
declare
  agreed text;
begin
  select u.id into user_id
  from users u
  where u.app_id = app and u.email = address and u.verified_at is null
  for no key update;
  update one_time_codes c
  set used_at = now()
  where c.app_id = app and c.email = address and c.hmac = any(hmacs) and c.used_at is null and c.expires_at > now();
  if not found or user_id is null then
    return;
  end if;
  select min(s.password_hash) into agreed from sign_ups s where s.user_id = verify_by_code.user_id having count(*) = 1;
  delete from sign_ups s where s.user_id = verify_by_code.user_id and s.password_hash = agreed;
  update users u set verified_at = now(), password_hash = agreed where u.id = user_id;
  expires_at := open_user_session(user_id, session, session_digest, lives_s, from_address, address_digest);
  return next;
end $$;
