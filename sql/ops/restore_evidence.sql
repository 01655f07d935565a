create or replace view ops.restore_evidence as
select s.id, s.kind, s.seen_at
from restore_evidence s
where s.seen_at > coalesce((select max(r.recovered_at) from recoveries r), '-infinity')
order by s.seen_at;
comment on view ops.restore_evidence is
  'Orders that venues have and this database has lost (unknown) or shows as never sent (unsent), noticed since its last recovery. Any row: the '
  'database is behind its upstreams; stop the workers and recover it. Normally empty.';
