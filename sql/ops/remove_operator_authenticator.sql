create or replace function ops.remove_operator_authenticator(operator text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found text := (select a.id from admins a where a.id = operator or a.email = lower(operator));
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  verdict := remove_operator_authenticator(found, null);
  perform ops.note(who, 'remove_operator_authenticator', coalesce(found, operator), why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.remove_operator_authenticator(text, text, text) is
  'Removes the authenticator of an operator, by id or address, and ends the sessions. The password stays: whoever has it enrolls the next one, so '
  'set a new one by admin:create --reset if somebody else may know it. Verdicts: done, unknown. Recorded in ops.actions.';
