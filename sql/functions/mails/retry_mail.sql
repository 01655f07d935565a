-- Plans the next attempt of a mail, or ends the mail if the attempt would be too late. One that found no turn at the mail server is no attempt.
-- False: it has ended.
create or replace function retry_mail(mail uuid, delay_s double precision, why text) returns boolean
language plpgsql as $$
begin
  update mails
  set attempts = attempts + case why when 'NO_TURN' then 0 else 1 end, fault = why
  where id = mail and state = 'queued' and now() + make_interval(secs => delay_s) < expires_at;
  if not found then
    perform end_mail(mail, 'expired', why);
    return false;
  end if;
  perform enqueue(array[mail_job(mail, now() + make_interval(secs => delay_s))]);
  return true;
end $$;
