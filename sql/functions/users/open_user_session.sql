-- Opens a session for a user whose identity is proven, and records the network address. Returns the time of expiry.
create or replace function open_user_session(
  for_user text, session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns timestamptz
language plpgsql as $$
begin
  insert into user_sessions (id, digest, user_id, address, expires_at)
  values (session, session_digest, for_user, from_address, now() + make_interval(secs => lives_s));
  perform note_known_address(for_user, address_digest);
  return now() + make_interval(secs => lives_s);
end $$;
