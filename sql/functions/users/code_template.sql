-- The mail that carries an unverified user's code: it says to the owner of the address whether sign-ups gave different passwords.
create or replace function code_template(for_user text) returns text
language sql stable as $$
  select case when count(*) > 1 then 'verify_email_again' else 'verify_email' end
  from sign_ups s
  where s.user_id = for_user
$$;
