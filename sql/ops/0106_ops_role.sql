-- What an operator may do, for any role: look at the kit's views and call its functions, and nothing else.
create function ops.admit(role_name name) returns void
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
comment on function ops.admit(name) is 'Lets a role use the kit. For the owner of the database only; once more after a release that adds to the kit.';

revoke all on all functions in schema ops from public;

-- The role is of the whole cluster: another database may have made it, or be making it now. Where roles may not be made here, the
-- platform makes one, and `select ops.admit('its name')` lets it in.
do $$
begin
  if not exists (select from pg_roles where rolname = 'trading_operator') then
    create role trading_operator nologin;
    comment on role trading_operator is 'May look at schema ops and call its functions: grant trading_operator to somebody.';
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise notice 'no role trading_operator: roles may not be made here. Make one, then: select ops.admit(''its name'')';
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'trading_operator') then
    perform ops.admit('trading_operator');
  end if;
end $$;
