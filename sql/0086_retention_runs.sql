create table retention_runs (
  name text primary key,
  ran_at timestamptz not null default now(),
  behind_s double precision not null,
  after text not null default ''
);

comment on table retention_runs is 'When rows past their retention were last deleted, by what is deleted, and how far that was behind.';
comment on column retention_runs.behind_s is 'How long the oldest row that was left is past its retention. 0: none was left.';
comment on column retention_runs.after is 'The key of the row at which it ended, if it left rows: the next run goes on there.';

-- What is deleted leaves room at once: the defaults wait until a fifth of the table is dead.
alter table events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table webhook_deliveries set (autovacuum_vacuum_cost_limit = 2000);
alter table webhook_attempts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table intents set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table orders set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
