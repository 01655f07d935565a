create or replace view ops.pauses as
select p.subject, ops.name_of(p.subject) as name, p.holds_exits, p.reason, p.paused_by, p.paused_at,
  (
    select count(*)::integer
    from intents i
    join intent_kinds k on k.kind = i.kind
    where i.phase = 'pending' and i.state = 'queued' and p.subject in (k.upstream, i.owner)
  ) as waiting
from pauses p
order by p.paused_at;
comment on view ops.pauses is
  'Upstreams, partners and apps for which nothing new is sent, since when, by whom and why, and how many intents wait. ops.end_pause ends one.';
