create or replace view ops.fleet_differences as
with running as (
  select p.*, p.kind || ' ' || p.instance as process
  from processes p
  where p.seen_at > now() - interval '30 seconds'
), seen as (
  select r.process, s.key as name, s.value
  from running r
  cross join lateral jsonb_each_text(r.settings) s
  union all
  select r.process, 'version', r.version
  from running r
), grouped as (
  select s.name, s.value, array_agg(s.process order by s.process) as processes, count(*) as many
  from seen s
  group by s.name, s.value
), compared as (
  select g.*, count(*) over (partition by g.name) as sides, max(g.many) over (partition by g.name) as most
  from grouped g
)
select c.name, c.value, c.processes, c.many < c.most as is_odd
from compared c
where c.sides > 1
order by c.name, c.many desc, c.value;
comment on view ops.fleet_differences is
  'Settings, by a fingerprint of the value, and versions in which running processes differ: one row for each value, with its processes. is_odd: '
  'fewer have it than another value.';
