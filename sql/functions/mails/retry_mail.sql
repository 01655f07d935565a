-- Plans the next attempt of a mail, or ends the mail if the attempt would be too late. False: it has ended already.
create or replace function retry_mail(mail uuid, delay_s double precision, why text) returns boolean
language plpgsql as $$
declare
  in_time boolean;
begin
  update mails
  set attempts = attempts + 1,
    fault = why,
    state = case when now() + make_interval(secs => delay_s) < expires_at then state else 'expired' end,
    secret = case when now() + make_interval(secs => delay_s) < expires_at then secret end,
    ended_at = case when now() + make_interval(secs => delay_s) < expires_at then null else now() end
  where id = mail and state = 'queued'
  returning state = 'queued' into in_time;
  if in_time then
    perform graphile_worker.add_jobs(array[mail_job(mail, now() + make_interval(secs => delay_s))]);
  end if;
  return coalesce(in_time, false);
end $$;
