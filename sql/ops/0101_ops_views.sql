-- What stands in the way, and what waits. Nothing of `asked`, `sent` or `outcome` is shown but a problem's code and reason.
create view ops.intents as
select i.id as intent_id, i.kind, i.owner, i.state,
  case
    when i.state = 'succeeded' then 'done'
    when i.state = 'in_doubt' or i.state = 'running' and i.sending_at is not null then 'unknown'
    else 'none'
  end as effect,
  i.outcome -> 'problem' ->> 'code' as problem_code, i.outcome -> 'problem' ->> 'reason' as problem_reason,
  i.tries, i.looks, i.lane, i.request_id, i.created_at, i.deadline_at, i.sending_at, i.settled_at
from intents i;
comment on view ops.intents is 'Every intent, without what it was asked, what was sent and what came back. One of them whole: select * from ops.story(id).';

create view ops.failed_intents as
select f.intent_id, f.kind, f.owner, f.state, f.problem_code, f.problem_reason, f.tries, f.looks, f.created_at, f.sending_at, f.settled_at
from ops.intents f
where f.state in ('failed', 'expired')
order by f.created_at desc;
comment on view ops.failed_intents is 'Ended without an effect, newest first: the party refused, or it was too late to send. They stay ended; ask again under a new id.';

-- Whether the worker behind a pool of the queue lives, by the rule of bury_dead_workers: silent for 4 s without its lock, or for
-- 8 s with it, it is dead; one that nobody has registered is after it has held a job for 60 s.
create function ops.is_worker_alive(pool text, held_since timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(
    (
      select bool_or(w.seen_at >= now() - interval '4 seconds' or w.seen_at >= now() - interval '8 seconds' and exists (
        select
        from pg_locks l
        join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.locktype = 'advisory' and l.classid = 884422 and l.objid = w.lock_key::oid and l.objsubid = 2 and l.granted
      ))
      from worker_processes w
      where pool = any(w.pool_ids)
    ),
    held_since >= now() - interval '60 seconds'
  )
$$;
comment on function ops.is_worker_alive is 'Whether the worker that has held a job since then is alive: ops.is_worker_alive(locked_by, locked_at).';

create view ops.jobs as
select j.id as job_id, t.identifier as task,
  case when j.payload ->> 'intent_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (j.payload ->> 'intent_id')::uuid end as intent_id,
  j.run_at, j.attempts, j.max_attempts, j.locked_at, j.locked_by,
  j.locked_at is not null and ops.is_worker_alive(j.locked_by, j.locked_at) as is_held,
  j.locked_at is null and j.attempts >= j.max_attempts as is_dead,
  left(split_part(j.last_error, E'\n', 1), 200) as last_error
from graphile_worker._private_jobs j
join graphile_worker._private_tasks t on t.id = j.task_id;
comment on view ops.jobs is 'Jobs of the queue. is_held: a living worker is at it. is_dead: its attempts are used up and nobody will take it again.';

create view ops.doubtful_intents as
select d.intent_id, d.kind, d.owner, d.looks, d.sending_at, extract(epoch from now() - d.sending_at)::integer as sent_s_ago,
  (
    select min(j.run_at)
    from ops.jobs j
    where j.intent_id = d.intent_id and not j.is_dead
  ) as next_look_at,
  d.created_at
from ops.intents d
where d.state = 'in_doubt'
order by d.sending_at;
comment on view ops.doubtful_intents is 'Sent, and nobody knows what came of it, oldest first. They are looked up by themselves; next_look_at is null where none is planned: rerun it.';

create view ops.lanes as
select l.name as lane, l.head,
  (
    select count(*)
    from intents i
    where i.lane = l.name and i.state = 'queued'
  )::integer as waiting
from lanes l;
comment on view ops.lanes is 'What may not overtake: head is the one intent of the lane that may be at work, waiting those that are queued, the head included.';

create view ops.stuck_lanes as
with waiting as (
  select i.lane, count(*)::integer as open, min(i.created_at) as since
  from intents i
  where i.state in ('queued', 'running') and i.lane is not null
  group by i.lane
), jobs as materialized (
  select j.intent_id, j.is_dead, j.locked_at is null or j.is_held as is_good
  from ops.jobs j
  where j.intent_id is not null
)
select w.lane, h.id as head, h.state as head_state, w.open, w.since,
  case
    when h.id is null then 'nothing open is at its head'
    when exists (select from jobs j where j.intent_id = h.id and j.is_dead) then 'the attempts of its head''s job are used up'
    when exists (select from jobs j where j.intent_id = h.id) then 'the worker that holds its head is dead'
    else 'its head has no job'
  end as because,
  coalesce(h.id, (
    select i.id
    from intents i
    where i.lane = w.lane and i.state in ('queued', 'running')
    order by i.position
    limit 1
  )) as rerun
from waiting w
left join lanes l on l.name = w.lane
left join intents h on h.id = l.head and h.state in ('queued', 'running')
where not exists (
  select
  from jobs j
  where j.intent_id = h.id and j.is_good and not j.is_dead
)
order by w.since;
comment on view ops.stuck_lanes is 'Lanes in which something is open and nobody is at work nor will be, and why. Normally empty; rerun names the intent to run again.';

create view ops.stuck_intents as
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
where i.state in ('queued', 'running', 'in_doubt')
  and not coalesce(j.has_good, false)
  and (i.lane is null or i.state = 'in_doubt' or i.id in (
    select s.rerun
    from ops.stuck_lanes s
  ))
order by i.created_at;
comment on view ops.stuck_intents is
  'Open intents whose turn it is and that nobody is at nor will be, and why, oldest first. Normally empty: the crontab gives those without a good job a new one within two minutes. select * from ops.rerun(id, who, why).';

create view ops.deliveries as
select d.id as delivery_id, d.app as app_id, d.endpoint_id, regexp_replace(split_part(split_part(e.url, '?', 1), '#', 1), '//[^/@]*@', '//') as url,
  e.active as endpoint_active, d.event_id, v.type as event_type, d.state, d.attempts, d.response_status, d.error, d.due_at, d.ended_at
from webhook_deliveries d
join webhook_endpoints e on e.id = d.endpoint_id
join events v on v.id = d.event_id;
comment on view ops.deliveries is 'Every webhook delivery, without its body; addresses without their query.';

create view ops.dead_deliveries as
select d.delivery_id, d.app_id, d.endpoint_id, d.endpoint_active, d.url, d.event_id, d.event_type, d.state, d.attempts, d.response_status, d.error, d.ended_at
from ops.deliveries d
where d.state in ('failed', 'cancelled')
order by d.delivery_id desc;
comment on view ops.dead_deliveries is 'Deliveries given up, newest first. select ops.retry_delivery(id, who, why), or all of an endpoint: ops.retry_deliveries_of(endpoint, who, why).';

create view ops.queue_ages as
select j.task,
  count(*) filter (where j.is_ready)::integer as ready,
  count(*) filter (where j.locked_at is null and not j.is_dead and j.run_at > now())::integer as planned,
  count(*) filter (where j.locked_at is not null)::integer as running,
  count(*) filter (where j.is_dead)::integer as dead,
  extract(epoch from now() - min(j.run_at) filter (where j.is_ready))::double precision as oldest_ready_s
from (
  select t.identifier as task, p.run_at, p.locked_at, p.locked_at is null and p.attempts >= p.max_attempts as is_dead,
    p.locked_at is null and p.attempts < p.max_attempts and p.run_at <= now() as is_ready
  from graphile_worker._private_jobs p
  join graphile_worker._private_tasks t on t.id = p.task_id
) j
group by j.task
order by j.task;
comment on view ops.queue_ages is 'Jobs by task: due now, planned, under way, given up, and how many seconds the oldest due one has waited.';

create view ops.intent_ages as
select i.state, i.kind, count(*)::integer as count, extract(epoch from now() - min(i.created_at))::double precision as oldest_s
from intents i
where i.state in ('queued', 'running', 'in_doubt')
group by i.state, i.kind
order by i.state, i.kind;
comment on view ops.intent_ages is 'Open intents by state and kind, with the age of the oldest in seconds.';

create view ops.delivery_ages as
select s.state, count(*)::integer as count, extract(epoch from now() - min(s.since))::double precision as oldest_s
from (
  select d.state, d.created_at as since
  from webhook_deliveries d
  where d.state = 'pending'
  union all
  select d.state, d.created_at
  from webhook_deliveries d
  where d.state = 'sending'
  union all
  select d.state, d.ended_at
  from webhook_deliveries d
  where d.state in ('failed', 'cancelled')
) s
group by s.state
order by s.state;
comment on view ops.delivery_ages is 'Deliveries that did not arrive, by state, with the age of the oldest in seconds: since it was queued, or since it was given up.';

create view ops.workers as
select w.id as worker_id, w.started_at, extract(epoch from now() - w.seen_at)::double precision as seen_s_ago,
  exists (
    select
    from pg_locks l
    join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and l.classid = 884422 and l.objid = w.lock_key::oid and l.objsubid = 2 and l.granted
  ) as has_lock,
  (
    select count(*)
    from graphile_worker._private_jobs j
    where j.locked_by = any(w.pool_ids)
  )::integer as jobs
from worker_processes w
order by w.started_at;
comment on view ops.workers is 'Worker processes: each beats every 2 s and holds a lock. Others hand its jobs back after 4 s of silence without the lock, 8 s with it.';

create function ops.list_paid_without_account(minutes double precision default 10) returns table (
  payment_id text, app_id text, user_id text, amount_cents integer, currency text, paid_at timestamptz,
  prop_account_id text, account_status text, failure_reason text, intent_id uuid, intent_state text, safe_action text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.payment_id, u.owner, u.user_id, u.amount_cents, u.currency, u.paid_at, u.prop_account_id, u.account_status,
    u.failure_reason, u.intent_id, u.intent_state, u.safe_action
  from list_unserved_payments(minutes) u
$$;
comment on function ops.list_paid_without_account is 'Paid so many minutes ago, and neither served nor refunded.';

create view ops.paid_without_account as
select *
from ops.list_paid_without_account(10);
comment on view ops.paid_without_account is 'Paid for ten minutes and neither served nor refunded, with what is safe to do; empty on a good day.';
