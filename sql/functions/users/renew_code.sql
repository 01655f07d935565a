-- Creates a new code for an unverified user of an address. For any other address it creates a code that nothing matches, and sends no mail.
-- Locks the user, then its code.
create or replace function renew_code(
  app text, address text, code_hmac bytea, attempts integer, lives_s integer, mail uuid, sealed bytea
) returns void
language plpgsql as $$
declare
  waiting text;
begin
  select u.id into waiting
  from users u
  where u.app_id = app and u.email = address and u.verified_at is null
  for no key update;
  perform set_code(app, address, case when waiting is not null then code_hmac end, attempts, lives_s);
  perform post_mail(mail, case when waiting is not null then code_template(waiting) else 'none' end, address,
    jsonb_build_object('app', a.name), case when waiting is not null then sealed end, lives_s, in_name_of => app)
  from apps a
  where a.id = app;
end $$;
