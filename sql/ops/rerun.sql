create or replace function ops.rerun(intent uuid, who text, why text) returns table (
  done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_who_and_why(who, why);
  return query select * from rerun_intent(intent, session_user, why, ops.given_name(who));
end $$;
comment on function ops.rerun(uuid, text, text) is
  'Runs an intent again if safe_to_rerun allows it. An unsent intent is queued, a sent one is only reconciled, one at the processor is sent again '
  'under its key if it is not there, an ended one stays unchanged (done is false). Rejected where none is needed (at_work), and if it could act '
  'twice. Always recorded in ops.actions. No row: there is no such intent.';
