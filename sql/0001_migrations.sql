alter table migrations add column sha256 text;

comment on table migrations is 'The numbered files of sql/ that were applied.';
comment on column migrations.sha256 is
  'SHA-256 of the file as it was applied. A file that was edited since is rejected: the edit would not reach this database.';

create table definitions (
  name text primary key,
  kind text not null constraint definitions_kind_known check (kind in ('function', 'view', 'trigger', 'access')),
  sha256 text not null,
  applied_at timestamptz not null default now()
);

comment on table definitions is 'The functions, views and triggers of this database, by the file that defines each.';
comment on column definitions.name is 'The name for `drop <kind>`: a trigger with its table.';
comment on column definitions.sha256 is 'SHA-256 of the file. A definition is applied again when its file changes.';
