-- The id of an operator, by id or address. Null: there is none.
create or replace function ops.operator_of(operator text) returns text
language sql stable as $$
  select a.id from admins a where a.id = operator or a.email = lower(operator)
$$;
comment on function ops.operator_of is 'Internal to the kit.';
