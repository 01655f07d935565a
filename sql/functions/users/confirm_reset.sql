-- Spends a reset token: sets the password, marks the address as verified, ends all sessions and what a stolen one may have made (see
-- quarantine), and notifies the user by mail. Null: the token is not valid. Locks the token, then the user and its sessions, then as
-- quarantine.
create or replace function confirm_reset(
  app text, address text, token_digest bytea, new_hash text, address_digest bytea, mail uuid, mail_lives_s integer,
  all_keys boolean default true
) returns text
language plpgsql as $$
declare
  known text;
begin
  update password_resets r
  set used_at = now()
  where r.app_id = app and r.email = address and r.digest = token_digest
    and r.user_id is not null and r.used_at is null and r.expires_at > now()
  returning r.user_id into known;
  if known is null then
    return null;
  end if;
  update users u set password_hash = new_hash, verified_at = coalesce(u.verified_at, now()) where u.id = known;
  update user_sessions s set revoked_at = now() where s.user_id = known and s.revoked_at is null;
  update one_time_codes c set attempts_left = 0 where c.app_id = app and c.email = address;
  perform note_known_address(known, address_digest);
  perform post_mail(mail, 'password_changed', address,
    jsonb_build_object('app', a.name, 'revoked', case when all_keys then 'all' else 'new' end), null, mail_lives_s, in_name_of => app)
  from apps a
  where a.id = app;
  perform quarantine(known, null, all_keys);
  return known;
end $$;
