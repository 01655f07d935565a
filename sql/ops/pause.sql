create or replace function ops.pause(subject text, who text, why text, exits boolean default false) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform ops.require_who_and_why(who, why);
  if pause_work(pause.subject, exits, session_user, why, ops.given_name(who)) then
    return 'paused';
  end if;
  perform ops.note(who, 'pause', pause.subject, why, '{"verdict": "unknown"}');
  return 'unknown';
end $$;
comment on function ops.pause(text, text, text, boolean) is
  'Sends nothing new to an upstream (netvenue, exvenue, processor, registrar), or for a partner or app, until ops.end_pause; with `exits` nothing '
  'that reduces a risk either. What was sent is reconciled; what waits past its deadline expires unsent. Recorded in ops.actions.';
