-- Internal to the kit: what a re-run of each of these intents would do. The queue's jobs are read once: they have no index by intent. A job that has
-- thrown and is due hours later, or that is due after the intent's deadline, counts as none.
create or replace function ops.assessments_of(ids uuid[]) returns table (
  intent_id uuid, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with jobs as materialized (
    select distinct on (j.intent_id) j.intent_id, j.is_held, j.locked_at,
      case when j.run_at <= now() or j.last_error is null and j.run_at <= i.deadline_at then j.run_at end as run_at
    from ops.jobs j
    join intents i on i.id = j.intent_id and i.kind = j.task
    where j.intent_id in (select unnest(ids)) and not j.is_dead and (j.is_held or j.locked_at is null)
    order by j.intent_id, j.is_held desc, j.run_at
  )
  select i.id, a.verdict, a.verdict in ('queued_again', 'reconcile_again', 'send_again', 'finished'), i.sending_at is not null,
    ops.upstream_result(i),
    case
      when a.verdict = 'send_again' and i.kind in ('kyc/session', 'payouts/account', 'payouts/link')
        then 'a worker sends it again under the same key: it acts now if it never arrived'
      when a.verdict = 'send_again'
        then 'a worker looks for it at the processor; if it is not there, it is sent again under the same key and acts now'
      when a.verdict = 'reconcile_again' then 'a worker sends nothing and reads at the upstream what it did'
      when a.verdict = 'queued_again' and i.deadline_at <= now() then 'a worker ends it as expired: its deadline has passed'
      when a.verdict = 'queued_again' then 'a worker sends it, for the first time'
      else 'nothing'
    end,
    a.reason
  from unnest(ids) with ordinality w (id, n)
  join intents i on i.id = w.id
  left join jobs j on j.intent_id = i.id
  cross join lateral ops.assess_rerun(i, j.is_held, j.run_at, j.locked_at) a
  order by w.n
$$;
comment on function ops.assessments_of is 'Internal to the kit.';
