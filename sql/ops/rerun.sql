create or replace function ops.rerun(intent uuid, who text, why text) returns table (
  done boolean, verdict text, is_safe boolean, was_sent boolean, venue_says text, would_do text, reason text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  i intents;
begin
  perform ops.require_who_and_why(who, why);
  select * into i from intents where id = intent for update;
  if not found then
    return;
  end if;
  perform from lanes l where l.name = i.lane for update;
  select s.* into verdict, is_safe, was_sent, venue_says, would_do, reason from ops.safe_to_rerun(intent) s;
  done := verdict in ('queued_again', 'look_again');
  if done then
    perform ops.put_to_work(i);
  end if;
  perform ops.note(who, 'rerun', intent::text, why, jsonb_build_object('done', done, 'verdict', verdict, 'was', i.state, 'reason', reason));
  return next;
end $$;
comment on function ops.rerun(uuid, text, text) is
  'Runs an intent again if safe_to_rerun allows it. An unsent intent is queued, a sent one is only reconciled, an ended one stays unchanged (done is false). Rejected while a worker runs it, and if it could act twice. Always recorded in ops.actions.';
