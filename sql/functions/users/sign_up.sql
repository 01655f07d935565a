-- Creates a user, or finds the existing one and does not change it. In both cases the password is recorded as that of a sign-up, one code
-- is valid and one mail is sent. Null, without effect: the user's hashes have another salt, or the user was deleted at this moment. Locks the user,
-- then its code.
create or replace function sign_up(
  app text, address text, new_id text, salt bytea, new_hash text, code_hmac bytea, attempts integer, lives_s integer, mail uuid,
  sealed bytea
) returns text
language plpgsql as $$
declare
  known record;
begin
  insert into users (id, app_id, email, password_salt)
  values (new_id, app, address, salt)
  on conflict on constraint users_email_once do nothing;
  select u.id, u.password_salt, u.password_hash, u.verified_at is not null as verified into known
  from users u
  where u.app_id = app and u.email = address
  for no key update;
  if known.password_salt is distinct from salt then
    return null;
  end if;
  insert into sign_ups (user_id, password_hash)
  select known.id, new_hash
  where known.password_hash is distinct from new_hash
  on conflict (user_id, password_hash) do update set created_at = now();
  perform set_code(app, address, case when not known.verified then code_hmac end, attempts, lives_s);
  perform post_mail(mail, case when known.verified then 'account_exists' else code_template(known.id) end,
    address, jsonb_build_object('app', a.name), case when not known.verified then sealed end, lives_s, in_name_of => app)
  from apps a
  where a.id = app;
  return known.id;
end $$;
