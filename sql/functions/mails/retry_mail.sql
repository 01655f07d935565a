-- Plans the next attempt of a mail, or ends the mail if the attempt would be too late. One that found no turn at the mail server is no attempt.
-- False: it has ended.
create or replace function retry_mail(mail uuid, delay_s double precision, why text) returns boolean
language plpgsql as $$
declare
  next_at timestamptz := now() + make_interval(secs => delay_s);
  m mails;
begin
  select * into m from mails where id = mail for no key update;
  if m.state is distinct from 'queued' or next_at >= m.expires_at then
    perform end_mail(mail, 'expired', why);
    return false;
  end if;
  update mails
  set attempts = attempts + case why when 'NO_TURN' then 0 else 1 end, fault = why
  where id = mail;
  perform enqueue(array[mail_job(mail, next_at)]);
  return true;
end $$;
