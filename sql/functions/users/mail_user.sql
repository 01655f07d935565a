-- Mails a user a notice of a change to the account. Runs in the caller's transaction.
create or replace function mail_user(for_user text, to_template text, mail uuid, with_data jsonb, lives_s integer) returns void
language sql as $$
  select post_mail(mail, to_template, u.email, with_data || jsonb_build_object('app', a.name), null, lives_s,
    in_name_of => a.id)
  from users u
  join apps a on a.id = u.app_id
  where u.id = for_user
$$;
