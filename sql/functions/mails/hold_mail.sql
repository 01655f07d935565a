-- Plans the next look at a mail in the name of a disabled app or partner: at the end of its life. resume_sending plans it earlier.
create or replace function hold_mail(mail uuid) returns void
language sql as $$
  select enqueue(array(select mail_job(m.id, m.expires_at) from mails m where m.id = mail))
$$;
