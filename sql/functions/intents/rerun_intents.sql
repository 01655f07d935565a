-- Runs many open intents again, each if that is safe (see rerun_intent): the oldest 1,000 of a verb, of a partner or app, in a state; null: of any.
-- Returns how many by verdict, and whether they were done. Locks them in their order of acceptance.
create or replace function rerun_intents(
  of_kind text, of_owner text, in_state text, by_operator text, because text, noted jsonb default '{}'
) returns table (verdict text, done boolean, intents integer)
language sql as $$
  select r.verdict, r.done, count(*)::integer
  from ops.open_intents(of_kind, of_owner, in_state) o
  cross join lateral rerun_intent(o.id, by_operator, because, noted) r
  group by r.verdict, r.done
  order by r.done desc, count(*) desc
$$;
