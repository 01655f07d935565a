create or replace function ops.enable_operator(operator text, who text, why text) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select ops.require_who_and_why(who, why);
  select ops.note_verdict(coalesce(o.id, operator), who, 'enable_operator', why, disable_operator(o.id, null, false))
  from ops.operator_of(operator) o (id)
$$;
comment on function ops.enable_operator(text, text, text) is
  'Enables an operator again, by id or address. Verdicts: done, unknown. Recorded in ops.actions.';
