create or replace function ops.assess_reruns(kind text default null, owner text default null, state text default null)
returns table (verdict text, is_safe boolean, would_do text, intents integer, oldest_at timestamptz, example uuid)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_filter(assess_reruns.kind, assess_reruns.owner, assess_reruns.state);
  return query select * from assess_open_intents(assess_reruns.kind, assess_reruns.owner, assess_reruns.state);
end $$;
comment on function ops.assess_reruns(text, text, text) is
  'What re-running many open intents would do, by verdict: the oldest 1,000 of a verb, of a partner or app, and in a state (queued, running, '
  'in_doubt); null is any. Changes nothing; ops.rerun_all does it.';
