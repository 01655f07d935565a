-- Writes a mail and its job. Runs in the caller's transaction. `of_app`: the app that is notified if the mail is given up. `in_name_of`: the
-- app or partner in whose name it is sent, or whose contact it informs; while that is disabled, the mail waits.
create or replace function post_mail(
  mail uuid, to_template text, to_recipient text, with_data jsonb, sealed bytea, lives_s integer, of_app text default null,
  of_user text default null, in_name_of text default null
) returns void
language plpgsql as $$
begin
  insert into mails (id, template, owner, tenant, user_id, recipient, data, secret, expires_at)
  values (mail, to_template, of_app, coalesce(in_name_of, of_app), of_user, to_recipient, with_data, sealed, now() + make_interval(secs => lives_s));
  perform enqueue(array[mail_job(mail, null)]);
end $$;
