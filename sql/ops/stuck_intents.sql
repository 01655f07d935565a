create or replace view ops.stuck_intents as
with jobs as materialized (
  select j.intent_id, bool_or((j.locked_at is null or j.is_held) and not j.is_dead) as has_good, bool_or(j.is_dead) as has_dead
  from ops.jobs j
  where j.intent_id is not null
  group by j.intent_id
)
select i.id as intent_id, i.kind, i.owner, i.state, i.lane, i.created_at, i.sending_at,
  case
    when j.intent_id is null then 'it has no job'
    when j.has_dead then 'the attempts of its job are used up'
    else 'the worker that holds it is dead'
  end as because
from intents i
left join jobs j on j.intent_id = i.id
where (i.phase = 'pending' or i.phase = 'in_doubt')
  and not coalesce(j.has_good, false)
  and (i.lane is null or i.state = 'in_doubt' or i.has_turn or i.id in (
    select s.rerun
    from ops.stuck_lanes s
  ))
order by i.created_at;
comment on view ops.stuck_intents is
  'Open intents that should run, but that no worker runs or will run, with the reason, oldest first. Normally empty: the crontab gives those '
  'without a good job a new one within 2 minutes. select * from ops.rerun(id, who, why).';
