create or replace function ops.end_pause(subject text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  queued integer;
begin
  perform ops.require_who_and_why(who, why);
  queued := end_pause(end_pause.subject, session_user, why, ops.given_name(who));
  if queued is null then
    perform ops.note(who, 'end_pause', end_pause.subject, why, '{"verdict": "not_paused"}');
  end if;
  return coalesce(queued || ' go on', 'not paused');
end $$;
comment on function ops.end_pause(text, text, text) is
  'Ends a pause: what waits goes on at once. Recorded in ops.actions.';
