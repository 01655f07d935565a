-- Grants a role the rights of an operator: to read the kit's views and call its functions, nothing else.
create or replace function ops.grant_access(role_name name) returns void
language plpgsql as $$
declare
  callable record;
begin
  execute format('grant usage on schema ops to %I', role_name);
  execute format('grant select on all tables in schema ops to %I', role_name);
  for callable in
    select p.oid::regprocedure as signature
    from pg_proc p
    where p.pronamespace = 'ops'::regnamespace and p.prosecdef
  loop
    execute format('grant execute on function %s to %I', callable.signature, role_name);
  end loop;
end $$;
comment on function ops.grant_access(name) is
  'Lets a role use the kit. Only for the owner of the database. Later releases keep these rights.';
