-- Writes a mail and its job. Runs in the caller's transaction.
create or replace function post_mail(mail uuid, to_template text, to_recipient text, with_data jsonb, sealed bytea, lives_s integer) returns void
language plpgsql as $$
begin
  insert into mails (id, template, recipient, data, secret, expires_at)
  values (mail, to_template, to_recipient, with_data, sealed, now() + make_interval(secs => lives_s));
  perform graphile_worker.add_jobs(array[mail_job(mail, null)]);
end $$;
