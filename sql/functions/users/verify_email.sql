-- Verifies an address by its code and opens a session. The password of its sign-ups counts from now on if all of them gave the same one;
-- of several none counts, since the code proves the address and not who chose which. The verdict is that of try_code, and expired without an
-- unverified user. Locks the user, then its code.
create or replace function verify_email(
  app text, address text, hmacs bytea[], of_network integer,
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns table (verdict text, user_id text, expires_at timestamptz)
language plpgsql as $$
declare
  agreed text;
begin
  select u.id into user_id
  from users u
  where u.app_id = app and u.email = address and u.verified_at is null
  for no key update;
  verdict := try_code(app, address, hmacs, of_network, address_digest);
  if verdict = 'verified' and user_id is null then
    verdict := 'expired';
  end if;
  if verdict = 'verified' then
    select min(s.password_hash) into agreed from sign_ups s where s.user_id = verify_email.user_id having count(*) = 1;
    delete from sign_ups s where s.user_id = verify_email.user_id and s.password_hash = agreed;
    update users u set verified_at = now(), password_hash = agreed where u.id = user_id;
    expires_at := open_user_session(user_id, session, session_digest, lives_s, from_address, address_digest);
  end if;
  return next;
end $$;
