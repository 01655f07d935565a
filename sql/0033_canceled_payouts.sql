alter table payouts add column canceled_at timestamptz;

comment on column payouts.canceled_at is 'When its user canceled it. Its transfer was not sent before and is not sent afterwards.';

alter table payouts drop constraint payouts_status_known;
alter table payouts add constraint payouts_status_known
  check (status in ('pending', 'submitted', 'transferred', 'completed', 'failed', 'reversed', 'canceled')) not valid;
