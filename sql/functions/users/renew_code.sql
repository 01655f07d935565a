-- Creates a new code for an unverified user of an address. For any other address it creates a code that nothing matches. A verified user is mailed
-- that no code is needed, or, without a valid password, that a reset sets one. Nobody else gets a mail. Locks the user, then its code.
create or replace function renew_code(
  app text, address text, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea
) returns void
language plpgsql as $$
declare
  known record;
  waiting text;
begin
  select u.id, u.verified_at is not null as is_verified, u.password_hash is not null as has_password into known
  from users u
  where u.app_id = app and u.email = address
  for no key update;
  waiting := case when not known.is_verified then known.id end;
  perform set_code(app, address, case when waiting is not null then code_hmac end, attempts, lives_s);
  perform post_mail(mail,
    case
      when waiting is not null then code_template(waiting)
      when not known.has_password then 'password_needed'
      when known.has_password then 'address_verified'
      else 'none'
    end, address,
    jsonb_build_object('app', a.name), case when waiting is not null then sealed end, lives_s, in_name_of => app)
  from apps a
  where a.id = app;
end $$;
