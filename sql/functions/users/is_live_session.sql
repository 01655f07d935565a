-- Whether a session of a user is valid: not ended, not expired, and used within the last 7 days.
create or replace function is_live_session(s user_sessions) returns boolean
language sql stable as $$
  select s.revoked_at is null and s.expires_at > now() and s.seen_at > now() - interval '7 days'
$$;
