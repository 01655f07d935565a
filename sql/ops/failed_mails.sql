create or replace view ops.failed_mails as
select m.id as mail_id, m.template, m.owner as app_id, m.user_id, m.recipient, m.state, m.fault as reason, m.attempts, m.created_at, m.ended_at
from mails m
where m.state in ('refused', 'expired')
order by m.id desc;
comment on view ops.failed_mails is
  'Mails that were given up, newest first. refused: the mail server rejected it permanently. expired: it could not be handed over in time. No '
  'mail is sent again: cause a new one.';
