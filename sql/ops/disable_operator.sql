create or replace function ops.disable_operator(operator text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_verdict(coalesce(o.id, operator), who, 'disable_operator', why, disable_operator(o.id, null))
  from ops.operator_of(operator) o (id)
$$;
comment on function ops.disable_operator(text, text, text) is
  'Disables an operator, by id or address, and ends the sessions. Verdicts: done, unknown, last_admin. Recorded in ops.actions.';
