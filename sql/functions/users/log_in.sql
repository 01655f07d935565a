-- Opens a session for a user whose password was correct, as prove_password accepts it. Null: rejected.
create or replace function log_in(
  for_user text, checked_hash text, new_hash text, step bigint,
  session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns timestamptz
language plpgsql as $$
declare
  ends_at timestamptz;
begin
  if not prove_password(for_user, checked_hash, new_hash, step) then
    return null;
  end if;
  ends_at := open_user_session(for_user, session, session_digest, lives_s, from_address, address_digest);
  update user_sessions s set proven_at = now() where s.id = session;
  return ends_at;
end $$;
