create or replace function ops.rerun_all(kind text, owner text, state text, who text, why text)
returns table (verdict text, done boolean, intents integer)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_who_and_why(who, why);
  perform ops.require_filter(rerun_all.kind, rerun_all.owner, rerun_all.state);
  return query select * from rerun_intents(rerun_all.kind, rerun_all.owner, rerun_all.state, session_user, why, ops.given_name(who));
end $$;
comment on function ops.rerun_all(text, text, text, text, text) is
  'Runs the open intents again that ops.assess_reruns names, each as ops.rerun does: unsent ones are queued, others only reconciled, what could '
  'act twice stays. Recorded for each in ops.actions.';
