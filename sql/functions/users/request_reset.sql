-- Creates the one valid reset token of an address. For an address without a user it creates a token that matches nothing, and sends no
-- mail; the same for a user who is not verified, unless those are mailed too: then a token that was mailed before stays the one.
-- Locks the user against deletion, then the token.
create or replace function request_reset(
  app text, address text, token_digest bytea, lives_s integer, mail uuid, sealed bytea, mails_unverified boolean default true
) returns void
language plpgsql as $$
declare
  known text;
begin
  select u.id into known
  from users u
  where u.app_id = app and u.email = address and (mails_unverified or u.verified_at is not null)
  for key share;
  insert into password_resets as r (app_id, email, user_id, digest, expires_at)
  values (app, address, known, token_digest, now() + make_interval(secs => lives_s))
  on conflict (app_id, email) do update
  set user_id = excluded.user_id, digest = excluded.digest, expires_at = excluded.expires_at, used_at = null
  where excluded.user_id is not null or r.user_id is null;
  perform post_mail(mail, case when known is null then 'none' else 'reset_password' end, address,
    jsonb_build_object('app', a.name), case when known is not null then sealed end, lives_s, in_name_of => app)
  from apps a
  where a.id = app;
end $$;
