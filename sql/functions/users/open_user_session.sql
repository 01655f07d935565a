-- Opens a session for a user whose identity is proven, and records the network address. Returns the time of expiry. Of more than 100 it ends those
-- used least recently: who knows a password cannot open so many that no reset ends them in time. The caller has locked the user.
create or replace function open_user_session(
  for_user text, session text, session_digest bytea, lives_s integer, from_address text, address_digest bytea
) returns timestamptz
language plpgsql as $$
begin
  update user_sessions s
  set revoked_at = now()
  where s.id in (
    select o.id
    from user_sessions o
    where o.user_id = for_user and o.revoked_at is null
    order by o.seen_at desc, o.id
    offset 99
  );
  insert into user_sessions (id, digest, user_id, address, expires_at)
  values (session, session_digest, for_user, from_address, now() + make_interval(secs => lives_s));
  perform note_known_address(for_user, address_digest);
  return now() + make_interval(secs => lives_s);
end $$;
