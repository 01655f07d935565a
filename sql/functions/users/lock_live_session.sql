-- Whether a session of a user has not been ended. Locks it until the commit: a reset or removal that ends it also sees what is written here.
create or replace function lock_live_session(session text) returns boolean
language plpgsql as $$
begin
  perform from user_sessions s where s.id = session and s.revoked_at is null for share;
  return found;
end $$;
