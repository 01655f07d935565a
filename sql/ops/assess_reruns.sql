-- What re-running many open intents would do: the oldest 1,000 of a verb, of a partner or app, in a state; null: of any.
create or replace function ops.assess_reruns(kind text default null, owner text default null, state text default null)
returns table (verdict text, is_safe boolean, would_do text, intents integer, oldest_at timestamptz, example uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with chosen as materialized (
    select o.id, o.created_at
    from ops.open_intents(assess_reruns.kind, assess_reruns.owner, assess_reruns.state) o
  )
  select a.verdict, a.is_safe, a.would_do, count(*)::integer, min(c.created_at), (array_agg(c.id order by c.created_at))[1]
  from chosen c
  join ops.assessments_of(array(select id from chosen)) a on a.intent_id = c.id
  group by a.verdict, a.is_safe, a.would_do
  order by a.is_safe desc, count(*) desc
$$;
comment on function ops.assess_reruns(text, text, text) is
  'What re-running many open intents would do, by verdict: the oldest 1,000 of a verb, of a partner or app, and in a state (queued, running, '
  'in_doubt); null is any. Changes nothing; ops.rerun_all does it.';
