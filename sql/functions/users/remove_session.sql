-- Ends a session that its user no longer trusts, and what was made in it: see quarantine. No effect on sessions of other users. Locks the
-- session, then as quarantine.
create or replace function remove_session(for_user text, session text) returns void
language plpgsql as $$
begin
  perform from users u where u.id = for_user for no key update;
  update user_sessions s set revoked_at = coalesce(s.revoked_at, now()) where s.id = session and s.user_id = for_user;
  perform quarantine(for_user, session);
end $$;
