-- What open intents wait for: those with these ids, or for null the oldest 2,000, exits first: without workers there are soon more than anybody can
-- wait for. The reasons are in the order in which they are judged; the first that applies is the result. `until`: when that ends at most, where it is
-- known. `behind`: the intent before it in its lane. `again_s`: when it is worth asking again.
create or replace function ops.waits_of(only_ids uuid[]) returns table (
  intent_id uuid, kind text, owner text, state text, is_exit boolean, created_at timestamptz, reason text, detail text, until timestamptz,
  behind uuid, again_s double precision
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with wanted as (
    select o.id
    from unnest(only_ids) o (id)
    union (
      select i.id
      from intents i
      join intent_kinds k on k.kind = i.kind
      where only_ids is null and (i.phase = 'pending' or i.phase = 'in_doubt')
      order by i.is_exit or k.is_exit desc, i.created_at
      limit 2000
    )
  ), open_intents as materialized (
    select i.id, i.kind, i.owner, i.state, i.created_at, i.deadline_at, i.sending_at, i.upstream, i.pace, i.unknown_because,
      i.is_exit or k.is_exit as is_exit, ops.waits_behind(r.i) as behind, k.upstream as of_upstream,
      i.state = 'queued' and exists (
        select from pauses p where p.subject in (k.upstream, i.owner) and (p.holds_exits or not (i.is_exit or k.is_exit))
      ) as is_stopped
    from wanted w
    cross join lateral (
      select i
      from intents i
      where i.id = w.id
      limit 1
    ) r
    cross join lateral (select (r.i).*) i
    join intent_kinds k on k.kind = i.kind
    where i.settled_at is null
  ), jobs as materialized (
    select distinct on (j.intent_id) j.intent_id, j.run_at, j.is_held, j.is_dead, j.locked_at is not null as is_locked
    from ops.jobs j
    where j.intent_id in (select o.id from open_intents o)
    order by j.intent_id, j.is_dead, j.run_at
  ), slots as (
    select u.upstream, count(*) as held, count(*) filter (where h.state = 'in_doubt') as doubts, min(u.held_until) as until
    from upstream_slots u
    join intents h on h.id = u.intent_id
    where u.held_until > now() and u.upstream in (select o.upstream from open_intents o)
    group by u.upstream
  ), waits as (
    select o.*, w.reason, w.detail, w.until
    from open_intents o
    left join intents b on b.id = o.behind
    left join jobs j on j.intent_id = o.id
    left join upstream_slots mine on mine.intent_id = o.id
    left join slots s on s.upstream = o.upstream
    cross join lateral (
      select v.reason, v.detail, v.until
      from (values
        (1, o.state = 'in_doubt', 'in_doubt', 'nobody knows yet what came of it: ' || coalesce(o.unknown_because, 'no response'), j.run_at),
        (2, o.sending_at is not null, 'response', 'it was sent and its response is not here yet', mine.held_until),
        (3, o.behind is not null, case when o.is_stopped then 'stopped' else 'lane' end,
          format('behind %s (%s, %s)', o.behind, b.kind, case when b.sending_at is not null then 'sent' else b.state end), null),
        (4, o.deadline_at <= now(), 'deadline', 'its deadline has passed: it expires unsent', null),
        (5, not has_live_worker(), 'worker', 'no worker is alive', null),
        (6, j.intent_id is null, 'job', 'it has no job; the next sweep gives it one', null),
        (7, j.is_dead, 'job', 'the attempts of its job are used up', null),
        (8, j.is_locked and not j.is_held, 'job', 'the worker that holds it is dead', null),
        (9, o.is_stopped and j.run_at > now(), 'stopped', 'operators have paused what is sent', null),
        (10, o.pace is not null and o.state = 'queued' and j.run_at > now(), 'pace', 'the validator has taken its signals of this minute', j.run_at),
        (11, o.upstream is not null and mine.intent_id is null and s.doubts > 0, 'doubts',
          format('%s of the %s requests at %s are in doubt', s.doubts, s.held, o.upstream), s.until),
        (12, o.upstream is not null and mine.intent_id is null, 'slots', format('%s requests are at %s', coalesce(s.held, 0), o.upstream), s.until),
        (13, o.of_upstream = 'exvenue' and exists (select from request_budgets q where q.counted_at > now()), 'paused',
          'the exchange has asked for a pause', (select min(q.counted_at) from request_budgets q where q.counted_at > now())),
        (14, o.of_upstream = 'exvenue' and o.state = 'running', 'budget', 'a worker executes it; it waits for the exchange''s budget or reads', null),
        (15, j.is_held, 'running', 'a worker executes it', null),
        (16, j.run_at > now(), 'due', 'its job is due later', j.run_at),
        (17, true, 'queue', 'its job waits for a free worker', null)
      ) as v (n, applies, reason, detail, until)
      where v.applies
      order by v.n
      limit 1
    ) w
  )
  select w.id, w.kind, w.owner, w.state, w.is_exit, w.created_at, w.reason, w.detail, w.until, w.behind,
    case
      when w.reason in ('in_doubt', 'pace', 'paused', 'stopped', 'due')
        then least(greatest(extract(epoch from least(w.until, case when w.sending_at is null then w.deadline_at end) - now()), 1), 60)
      else 1
    end::double precision
  from waits w
$$;
comment on function ops.waits_of is 'Internal to the kit.';
