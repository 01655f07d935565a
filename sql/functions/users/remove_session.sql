-- Ends a session that its user no longer trusts, and revokes what was made in it: trader keys, and an authenticator that waits for its
-- first code. No effect on sessions of other users. Locks the user, then the session.
create or replace function remove_session(for_user text, session text) returns void
language plpgsql as $$
begin
  update users u
  set totp_seed = null, totp_session_id = null
  where u.id = for_user and u.totp_session_id = session and u.totp_enabled_at is null;
  update user_sessions s set revoked_at = coalesce(s.revoked_at, now()) where s.id = session and s.user_id = for_user;
  update trader_keys k set revoked_at = now() where k.user_id = for_user and k.session_id = session and k.revoked_at is null;
end $$;
