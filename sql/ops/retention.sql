create or replace view ops.retention as
select r.name as kind, r.behind_s, r.ran_at, r.failed_at
from retention_runs r
order by r.failed_at is null, r.behind_s desc, r.ran_at;
comment on view ops.retention is
  'What housekeeping/prune deletes, what failed and what is behind first: how long the oldest row is past its retention, when rows were last '
  'deleted, and since when that fails.';
