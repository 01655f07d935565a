-- Verifies an address by its code and opens a session. The verdict is that of try_code.
create or replace function verify_email(
  app text, address text, hmacs bytea[],
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns table (verdict text, user_id text, expires_at timestamptz)
language plpgsql as $$
begin
  verdict := try_code(app, address, hmacs);
  if verdict = 'verified' then
    update users u
    set verified_at = coalesce(u.verified_at, now())
    where u.app_id = app and u.email = address
    returning u.id into user_id;
    expires_at := open_user_session(user_id, session, session_digest, lives_s, from_address, address_digest);
  end if;
  return next;
end $$;
