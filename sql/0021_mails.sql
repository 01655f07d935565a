-- Mails to be sent, each written by the transaction that causes it. The id is the Message-ID.
create table mails (
  id uuid primary key,
  template text not null,
  recipient text not null,
  data jsonb not null,
  secret bytea,
  state text not null default 'queued' constraint mails_state_known
    check (state in ('queued', 'sent', 'refused', 'expired')),
  tries integer not null default 0,
  fault text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint mails_ended_at_end check ((state = 'queued') = (ended_at is null)),
  constraint mails_ended_hold_no_secret check (state = 'queued' or secret is null)
);
create index mails_by_age on mails (created_at);

comment on column mails.template is 'Names the text; none goes nowhere, so that an unknown address costs what a known one does.';
comment on column mails.secret is 'A code or link, sealed; wiped when the mail ends.';
comment on column mails.expires_at is 'Not sent after this: its code or link is good no longer.';
comment on column mails.fault is 'Why the last try failed, in a word of ours.';

create function mail_job(mail uuid, run_at timestamptz) returns graphile_worker.job_spec
language sql immutable as $$
  select row('mail/send', json_build_object('mail_id', mail), null, run_at, null, null, null, null)::graphile_worker.job_spec
$$;

-- Writes a mail and its job. Part of the caller's transaction.
create function post_mail(mail uuid, to_template text, to_recipient text, with_data jsonb, sealed bytea, lives_s integer) returns void
language plpgsql as $$
begin
  insert into mails (id, template, recipient, data, secret, expires_at)
  values (mail, to_template, to_recipient, with_data, sealed, now() + make_interval(secs => lives_s));
  perform graphile_worker.add_jobs(array[mail_job(mail, null)]);
end $$;

-- Plans the next try of a mail, or ends it when it would come too late. False: it has ended already.
create function retry_mail(mail uuid, delay_s double precision, why text) returns boolean
language plpgsql as $$
declare
  in_time boolean;
begin
  update mails
  set tries = tries + 1,
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
