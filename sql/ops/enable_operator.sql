create or replace function ops.enable_operator(operator text, who text, why text) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found text := (select a.id from admins a where a.id = operator or a.email = lower(operator));
  verdict text;
begin
  perform ops.require_who_and_why(who, why);
  verdict := disable_operator(found, null, false);
  perform ops.note(who, 'enable_operator', coalesce(found, operator), why, jsonb_build_object('verdict', verdict));
  return verdict;
end $$;
comment on function ops.enable_operator(text, text, text) is
  'Enables an operator again, by id or address. Verdicts: done, unknown. Recorded in ops.actions.';
