-- What re-running many open intents would do: the oldest 1,000 of a verb, of a partner or app, in a state; null: of any.
create or replace function ops.assess_reruns(kind text default null, owner text default null, state text default null)
returns table (verdict text, is_safe boolean, would_do text, intents integer, oldest_at timestamptz, example uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select s.verdict, s.is_safe, s.would_do, count(*)::integer, min(o.created_at), (array_agg(o.id order by o.created_at))[1]
  from ops.open_intents(assess_reruns.kind, assess_reruns.owner, assess_reruns.state) o
  cross join lateral ops.safe_to_rerun(o.id) s
  group by s.verdict, s.is_safe, s.would_do
  order by s.is_safe desc, count(*) desc
$$;
comment on function ops.assess_reruns(text, text, text) is
  'What re-running many open intents would do, by verdict: the oldest 1,000 of a verb, of a partner or app, and in a state (queued, running, '
  'in_doubt); null is any. Changes nothing; ops.rerun_all does it.';
