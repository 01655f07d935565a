create table code_calls (
  digest text primary key,
  version text not null,
  calls jsonb not null,
  first_seen_at timestamptz not null default now(),
  released_at timestamptz
);

comment on table code_calls is
  'What the code of each version calls in this database, by name. A release takes none of it away from the version before or from a process that '
  'runs.';
comment on column code_calls.digest is 'SHA-256 of what is called: versions that call alike share a row.';
comment on column code_calls.released_at is 'When a release of it ended last. Null: only processes of it were seen.';

create table processes (
  id uuid primary key,
  kind text not null constraint processes_kind_known check (kind in ('web', 'worker')),
  instance text not null,
  version text not null,
  calls text not null references code_calls (digest),
  settings jsonb not null,
  sealing_keys text[] not null,
  agreement_keys text[] not null,
  clock_ahead_s double precision,
  failing_checks text[] not null default '{}',
  reach jsonb not null default '[]',
  paused text[] not null default '{}',
  serves text[] not null default '{}',
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

comment on table processes is
  'Running processes, as each describes itself every few seconds. A process that ends deletes its row; one that was killed is seen no more.';
comment on column processes.instance is 'Its host and its number there.';
comment on column processes.settings is 'A fingerprint of each setting by name, to compare processes. No value can be told from it.';
comment on column processes.sealing_keys is 'The ids of its keyring, the active one first.';
comment on column processes.failing_checks is 'Why it is not ready. Empty: it is.';
comment on column processes.reach is 'Its latest calls to each upstream: whether the last one had a response, since when, and the last success.';
comment on column processes.paused is 'Upstreams that rejected its credentials: it leaves their work to other processes.';
comment on column processes.serves is 'Upstreams whose work it takes.';

-- One row: sealed under the keys of this deployment. A process that cannot open it has other keys and receives no work.
create table seal_checks (
  id text primary key constraint seal_checks_one check (id = 'keyring'),
  sealed bytea not null,
  made_at timestamptz not null default now()
);

comment on table seal_checks is 'One sealed value that every process opens before it is ready. Resealing moves it to the newest key.';
