create table sightings (
  id uuid primary key,
  kind text not null constraint sightings_kind_known check (kind in ('unknown', 'unsent')),
  seen_at timestamptz not null default now()
);

comment on table sightings is 'Orders at venues that prove that this database is behind the world: it was restored from a backup, or a standby without the last commits took over.';
comment on column sightings.id is 'The id of the order at its venue, and of its intent here.';
comment on column sightings.kind is 'unknown: this service made the id, and no intent has it. unsent: its intent was never sent, by this database.';
comment on column sightings.seen_at is 'When a process noticed it. What was noticed before the newest recovery is over.';
