-- Writes a mail and its job. Runs in the caller's transaction. `of_app`: the app that is notified if the mail is given up.
create or replace function post_mail(
  mail uuid, to_template text, to_recipient text, with_data jsonb, sealed bytea, lives_s integer, of_app text default null,
  of_user text default null
) returns void
language plpgsql as $$
begin
  insert into mails (id, template, owner, user_id, recipient, data, secret, expires_at)
  values (mail, to_template, of_app, of_user, to_recipient, with_data, sealed, now() + make_interval(secs => lives_s));
  perform graphile_worker.add_jobs(array[mail_job(mail, null)]);
end $$;
