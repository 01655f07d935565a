create or replace view ops.stuck_lanes as
with waiting as (
  select i.lane, count(*)::integer as open, min(i.created_at) as since
  from intents i
  where i.phase = 'pending' and i.lane is not null
  group by i.lane
), jobs as materialized (
  select j.intent_id, bool_or(j.is_dead) as has_dead, bool_or((j.locked_at is null or j.is_held) and not j.is_dead) as has_good
  from ops.jobs j
  where j.intent_id is not null
  group by j.intent_id
)
select w.lane, h.id as head, h.state as head_state, w.open, w.since,
  case
    when h.id is null then 'nothing open is at its head'
    when j.intent_id is null then 'its head has no job'
    when j.has_dead then 'the attempts of its head''s job are used up'
    else 'the worker that holds its head is dead'
  end as because,
  coalesce(h.id, (
    select i.id
    from intents i
    where i.lane = w.lane and i.phase = 'pending'
    order by i.position
    limit 1
  )) as rerun
from waiting w
left join lanes l on l.name = w.lane
left join intents h on h.id = l.head and h.state in ('queued', 'running')
left join jobs j on j.intent_id = h.id
where not coalesce(j.has_good, false)
order by w.since;
comment on view ops.stuck_lanes is
  'Lanes with open intents that no worker runs or will run, with the reason. Normally empty. rerun is the intent to run again.';
