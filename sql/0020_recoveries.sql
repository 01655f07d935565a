create table recoveries (
  id bigint primary key generated always as identity,
  since timestamptz not null,
  recovered_at timestamptz not null default now()
);

comment on table recoveries is 'Each time that this database was restored from a backup and recovered. What happened from since to recovered_at is missing in it.';
comment on column recoveries.since is 'The time of the backup.';

alter table intents add column presumed_sent_at timestamptz;

comment on column intents.presumed_sent_at is
  'Of an intent that a restored database shows as unsent: the earliest time at which it may have been sent. It is looked for and never sent.';
