create or replace function ops.remove_operator_authenticator(operator text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_verdict(coalesce(o.id, operator), who, 'remove_operator_authenticator', why, remove_operator_authenticator(o.id, null))
  from ops.operator_of(operator) o (id)
$$;
comment on function ops.remove_operator_authenticator(text, text, text) is
  'Removes the authenticator of an operator, by id or address, and ends the sessions. The password stays: whoever has it enrolls the next one, so '
  'set a new one by admin:create --reset if somebody else may know it. Verdicts: done, unknown. Recorded in ops.actions.';
