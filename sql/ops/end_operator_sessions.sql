create or replace function ops.end_operator_sessions(operator text, who text, why text) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found text := ops.operator_of(operator);
  ended integer;
begin
  perform ops.require_who_and_why(who, why);
  if found is not null then
    ended := end_operator_sessions(found);
  end if;
  perform ops.note(who, 'end_operator_sessions', coalesce(found, operator), why, jsonb_build_object('ended', ended));
  return ended;
end $$;
comment on function ops.end_operator_sessions(text, text, text) is
  'Ends every session of an operator, by id or address. Returns how many were open; null: there is no such operator. Recorded in '
  'ops.actions.';
