-- Why each open intent is where it is. The reasons, in the order in which they are judged; the first that applies is it.
create or replace view ops.waits as
with open_intents as materialized (
  select i.id, i.kind, i.owner, i.state, i.created_at, i.deadline_at, i.sending_at, i.upstream, i.unknown_because,
    i.is_exit or split_part(i.kind, '/', 2) in ('cancel', 'close', 'protect') as is_exit,
    split_part(i.lane, ':', 2) as trader, ops.waits_behind(i) as behind, k.upstream as of_upstream
  from intents i
  join intent_kinds k on k.kind = i.kind
  where i.state in ('queued', 'running', 'in_doubt')
), jobs as materialized (
  select distinct on (j.intent_id) j.intent_id, j.run_at, j.is_held, j.is_dead, j.locked_at is not null as is_locked
  from ops.jobs j
  where j.intent_id is not null
  order by j.intent_id, j.is_dead, j.run_at
), slots as (
  select u.upstream, count(*) as held, count(*) filter (where h.state = 'in_doubt') as doubts, min(u.held_until) as until
  from upstream_slots u
  join intents h on h.id = u.intent_id
  where u.held_until > now()
  group by u.upstream
), waits as (
  select o.*, j.run_at, w.reason, w.detail, w.until
  from open_intents o
  left join open_intents b on b.id = o.behind
  left join jobs j on j.intent_id = o.id
  left join upstream_slots mine on mine.intent_id = o.id
  left join slots s on s.upstream = o.upstream
  left join paces p on p.name = 'signals:' || o.trader
  cross join lateral (
    select v.reason, v.detail, v.until
    from (values
      (1, o.state = 'in_doubt', 'in_doubt', 'nobody knows yet what came of it: ' || coalesce(o.unknown_because, 'no response'), j.run_at),
      (2, o.sending_at is not null, 'response', 'it was sent and its response is not here yet', mine.held_until),
      (3, o.behind is not null, 'lane', format('behind %s (%s, %s)', o.behind, b.kind, case when b.sending_at is not null then 'sent' else b.state end), null),
      (4, o.deadline_at <= now(), 'deadline', 'its deadline has passed: it expires unsent', null),
      (5, not exists (select from worker_processes x where x.seen_at > now() - interval '8 seconds'), 'worker', 'no worker is alive', null),
      (6, j.intent_id is null, 'job', 'it has no job; the next sweep gives it one', null),
      (7, j.is_dead, 'job', 'the attempts of its job are used up', null),
      (8, j.is_locked and not j.is_held, 'job', 'the worker that holds it is dead', null),
      (9, o.upstream is not null and mine.intent_id is null and s.doubts > 0, 'doubts',
        format('%s of the %s requests at %s are in doubt', s.doubts, s.held, o.upstream), s.until),
      (10, o.upstream is not null and mine.intent_id is null, 'slots', format('%s requests are at %s', s.held, o.upstream), s.until),
      (11, j.run_at > now() and o.of_upstream = 'netvenue' and exists (select from unnest(p.taken) as t (at) where t.at > now() - interval '62 seconds'),
        'pace', 'the validator has taken its signals of this minute', j.run_at),
      (12, o.of_upstream = 'exvenue' and exists (select from request_budgets q where q.counted_at > now()), 'paused',
        'the exchange has asked for a pause', (select min(q.counted_at) from request_budgets q where q.counted_at > now())),
      (13, o.of_upstream = 'exvenue' and o.state = 'running', 'budget', 'a worker executes it; it waits for the exchange''s budget or reads', null),
      (14, j.is_held, 'running', 'a worker executes it', null),
      (15, j.run_at > now(), 'due', 'its job is due later', j.run_at),
      (16, true, 'queue', 'its job waits for a free worker', null)
    ) as v (n, applies, reason, detail, until)
    where v.applies
    order by v.n
    limit 1
  ) w
)
select w.id as intent_id, w.kind, w.owner, w.state, w.is_exit, w.created_at, w.reason, w.detail, w.until
from waits w;
comment on view ops.waits is 'What each open intent waits for (reason), in words (detail), and until when at most, where that is known.';
