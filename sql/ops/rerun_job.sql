create or replace function ops.rerun_job(job bigint, who text, why text) returns table (
  done boolean, verdict text, is_safe boolean, would_do text, reason text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_who_and_why(who, why);
  return query select * from rerun_dead_job(job, session_user, why, ops.given_name(who));
end $$;
comment on function ops.rerun_job(bigint, text, text) is
  'Queues a dead job without an intent again, or one that has thrown and is due later, with all of its attempts, if safe_to_rerun_job allows it. '
  'One that has nothing to do any more is deleted. Always recorded in ops.actions. No row: there is no such job.';
