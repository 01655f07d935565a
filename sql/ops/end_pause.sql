create or replace function ops.end_pause(subject text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  queued integer;
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  queued := end_pause(end_pause.subject, session_user, why, ops.given_name(who));
  if queued is not null then
    return queued || ' go on';
  end if;
  verdict := case when can_be_paused(end_pause.subject) then 'not paused' else 'unknown' end;
  perform ops.note(who, 'end_pause', end_pause.subject, why, jsonb_build_object('verdict', replace(verdict, ' ', '_')));
  return verdict;
end $$;
comment on function ops.end_pause(text, text, text) is
  'Ends a pause: what waits goes on at once. not paused; unknown: there is no such upstream, partner or app. Recorded in ops.actions.';
