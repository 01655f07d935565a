-- Creates the one valid code for further attempts at an authenticator code from a network, and mails it to the user.
create or replace function renew_login_code(
  for_user text, of_scope bytea, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea
) returns void
language plpgsql as $$
begin
  insert into login_codes (user_id, scope, hmac, attempts_left, expires_at)
  values (for_user, of_scope, code_hmac, attempts, now() + make_interval(secs => lives_s))
  on conflict (user_id, scope) do update
  set hmac = excluded.hmac, attempts_left = excluded.attempts_left, expires_at = excluded.expires_at;
  perform post_mail(mail, 'login_code', u.email, jsonb_build_object('app', a.name), sealed, lives_s, in_name_of => a.id)
  from users u
  join apps a on a.id = u.app_id
  where u.id = for_user;
end $$;
