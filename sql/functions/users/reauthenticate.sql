-- Renews the proof of the password in a live session, as prove_password accepts it. Returns the time of the proof; null: rejected.
create or replace function reauthenticate(for_user text, checked_hash text, new_hash text, step bigint, session text) returns timestamptz
language plpgsql as $$
begin
  if not prove_password(for_user, checked_hash, new_hash, step) then
    return null;
  end if;
  update user_sessions s set proven_at = now() where s.id = session and s.user_id = for_user;
  return now();
end $$;
