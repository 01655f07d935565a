-- Forgets what has expired. What people did (requests, links, audit) stays.
create function forget_expired_identity() returns void
language plpgsql as $$
begin
  delete from throttles where forget_at < now();
  delete from app_tokens where expires_at < now() - interval '1 day';
  delete from one_time_codes where expires_at < now() - interval '1 day';
  delete from password_resets where expires_at < now() - interval '1 day';
  delete from user_sessions where expires_at < now() - interval '30 days';
  delete from admin_sessions where expires_at < now() - interval '30 days';
  delete from known_addresses where seen_at < now() - interval '180 days';
  delete from mails where created_at < now() - interval '30 days' and state <> 'queued';
  delete from users where verified_at is null and created_at < now() - interval '7 days';
end $$;

comment on function forget_expired_identity is
  'Sign-ups that were never verified go after a week: an address can not be kept from its owner by signing up with it first.';
