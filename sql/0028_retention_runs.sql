create table retention_runs (
  name text primary key,
  ran_at timestamptz not null default now(),
  behind_s double precision not null,
  after text not null default '',
  failed_at timestamptz
);

comment on table retention_runs is 'When rows past their retention were last deleted, by what is deleted, and how far that was behind.';
comment on column retention_runs.behind_s is
  'How long the oldest row that was left is past its retention, or, where that is not known, how long rows have been left. 0: none was left.';
comment on column retention_runs.after is 'The key of the row at which it ended, if it left rows: the next run goes on there.';
comment on column retention_runs.failed_at is 'When the last attempt failed. Null: it succeeded. What failed comes last in the next run.';
