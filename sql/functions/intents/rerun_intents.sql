-- Runs many open intents again, each if that is safe (see rerun_locked): the oldest 1,000 of a verb, of a partner or app, in a state; null: of any.
-- One that is being executed is left out. Returns how many by verdict, and whether they were done. Locks their lanes by name, as those do that accept
-- and end them, then the intents, and waits for none of these: who ends one waits for its lane.
create or replace function rerun_intents(
  of_kind text, of_owner text, in_state text, by_operator text, because text, noted jsonb default '{}'
) returns table (verdict text, done boolean, intents integer)
language plpgsql as $$
#variable_conflict use_column
declare
  picked uuid[] := array(select o.id from ops.open_intents(of_kind, of_owner, in_state) o);
begin
  perform from lanes l where l.name in (select i.lane from intents i where i.id = any(picked)) order by l.name for update;
  picked := array(
    select i.id
    from intents i
    where i.id = any(picked)
    order by i.position
    for update skip locked
  );
  return query
  select r.verdict, r.done, count(*)::integer
  from rerun_locked(picked, by_operator, because, noted) r
  group by r.verdict, r.done
  order by r.done desc, count(*) desc;
end $$;
