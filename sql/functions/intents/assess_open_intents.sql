-- What re-running many open intents would do, by verdict, the safe ones first: the oldest 1,000 of a verb, of a partner or app, in a state; null: of
-- any.
create or replace function assess_open_intents(of_kind text, of_owner text, in_state text)
returns table (verdict text, is_safe boolean, would_do text, intents integer, oldest_at timestamptz, example uuid)
language sql stable as $$
  with chosen as materialized (
    select o.id, o.created_at
    from ops.open_intents(of_kind, of_owner, in_state) o
  )
  select a.verdict, a.is_safe, a.would_do, count(*)::integer, min(c.created_at), (array_agg(c.id order by c.created_at))[1]
  from chosen c
  join ops.assessments_of(array(select id from chosen)) a on a.intent_id = c.id
  group by a.verdict, a.is_safe, a.would_do
  order by a.is_safe desc, count(*) desc
$$;
