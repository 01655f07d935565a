-- Creates a user, or finds the existing one and does not change it. In both cases one code is valid and one mail is sent.
create or replace function sign_up(
  app text, address text, new_id text, new_hash text, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea
) returns text
language plpgsql as $$
declare
  known record;
  made boolean;
begin
  insert into users (id, app_id, email, password_hash)
  values (new_id, app, address, new_hash)
  on conflict on constraint users_email_once do nothing;
  made := found;
  select u.id, u.verified_at is not null as verified into known
  from users u
  where u.app_id = app and u.email = address;
  perform set_code(app, address, case when not known.verified then code_hmac end, attempts, lives_s);
  perform post_mail(mail,
    case when known.verified then 'account_exists' when made then 'verify_email' else 'verify_email_again' end,
    address, jsonb_build_object('app', a.name), case when not known.verified then sealed end, lives_s)
  from apps a
  where a.id = app;
  return known.id;
end $$;
