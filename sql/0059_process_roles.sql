-- The roles of the processes belong to the whole cluster: see trading_operator. A login of the deployment is a member of one of them; the
-- owner of the database migrates. Without the roles every process connects as the owner.
do $$
declare
  process text;
begin
  foreach process in array array['trading_web', 'trading_worker'] loop
    if not exists (select from pg_roles where rolname = process) then
      execute format('create role %I nologin', process);
    end if;
  end loop;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise notice 'no roles trading_web and trading_worker: this user may not create roles. Create them, then migrate again';
end $$;
