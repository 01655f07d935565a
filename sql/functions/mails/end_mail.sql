-- Ends a mail and wipes its secret. The app that it was written for finds a mail that was given up in its event log. Notifies those who wait
-- for the mail. False: it has ended already.
create or replace function end_mail(mail uuid, ending text, why text) returns boolean
language plpgsql as $$
declare
  m mails;
begin
  select * into m from mails where id = mail for no key update;
  if m.state is distinct from 'queued' then
    return false;
  end if;
  update mails
  set state = ending, secret = null, fault = why, ended_at = now(), attempts = attempts + 1
  where id = mail;
  if m.owner is not null and ending <> 'sent' then
    perform emit_event(m.owner, 'notification.failed',
      jsonb_build_object('notification_id', m.id, 'user_id', m.user_id, 'reason', why));
  end if;
  perform pg_notify('settled', m.id::text);
  return true;
end $$;
