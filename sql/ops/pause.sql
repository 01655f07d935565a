create or replace function ops.pause(subject text, who text, why text, exits boolean default null) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  earlier pauses;
begin
  perform ops.require_who_and_why(who, why);
  select * into earlier from pauses p where p.subject = pause.subject for update;
  if pause_work(pause.subject, coalesce(exits, earlier.holds_exits, false), session_user, why, ops.given_name(who)) then
    return 'paused' || case
      when earlier.subject is null then ''
      else format(', in place of the pause by %s: %s', earlier.paused_by, earlier.reason)
    end;
  end if;
  perform ops.note(who, 'pause', pause.subject, why, '{"verdict": "unknown"}');
  return 'unknown';
end $$;
comment on function ops.pause(text, text, text, boolean) is
  'Sends nothing new to an upstream (netvenue, exvenue, processor, registrar), or for a partner or app, until ops.end_pause; with `exits` nothing '
  'that reduces a risk either. What was sent is reconciled; what waits past its deadline expires unsent. An existing pause is replaced; the result '
  'says whose it was, and one end ends both. Without `exits` the former setting stays. unknown: there is no such subject. Recorded in ops.actions.';
