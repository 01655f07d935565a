create table mails (
  id uuid primary key,
  template text not null,
  owner text references apps (id),
  tenant text,
  user_id text,
  recipient text not null,
  data jsonb not null,
  secret bytea,
  state text not null default 'queued' constraint mails_state_known
    check (state in ('queued', 'sent', 'refused', 'expired')),
  attempts integer not null default 0,
  fault text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint mails_ended_at_end check ((state = 'queued') = (ended_at is null)),
  constraint mails_ended_hold_no_secret check (state = 'queued' or secret is null)
);

comment on table mails is 'Mails to send, each written by the transaction that causes it. The id determines the Message-ID.';
comment on column mails.template is 'The name of the text. none: not sent; written so that an unknown address costs as much as a known one.';
comment on column mails.tenant is 'The app or partner in whose name it is sent, or whose contact it informs. While that is disabled, it waits.';
comment on column mails.secret is 'A code or link, sealed. Wiped when the mail ends.';
comment on column mails.expires_at is 'Not sent after this time: its code or link is no longer valid.';
comment on column mails.fault is 'Why the last attempt failed, as a code of this service.';

comment on column mails.owner is
  'The app that a mail was written for, if it is notified of the mail''s end. user_id: the user that it is addressed to.';

create index mails_given_up on mails (id) where state in ('refused', 'expired');
create index mails_by_age on mails (created_at);
create index mails_waiting on mails (tenant) where state = 'queued';
