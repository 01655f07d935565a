-- Gives the roles of the processes, those that exist, the rights of `process_rights`, and the use of the queue: its tables have row security
-- for all but their owner. Only for the owner of the database.
create or replace function grant_process_access() returns void
language plpgsql as $$
declare
  process text;
  granted record;
begin
  for process in select r.rolname from pg_roles r where r.rolname in ('trading_web', 'trading_worker') loop
    execute format('grant usage on schema public, ops, graphile_worker to %I', process);
    execute format('revoke all on all tables in schema public from %I', process);
    execute format('grant select on all tables in schema public, ops to %I', process);
    execute format('grant usage on all sequences in schema public, graphile_worker to %I', process);
    execute format('grant execute on all functions in schema ops, graphile_worker to %I', process);
    execute format('revoke execute on function ops.grant_access(name) from %I', process);
    execute format('grant select, insert, update, delete on all tables in schema graphile_worker to %I', process);
    for granted in select * from process_rights(process) loop
      execute format('grant %s on public.%I to %I', granted.verbs, granted.of_table, process);
    end loop;
    for granted in
      select c.relname
      from pg_class c
      where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relrowsecurity
        and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = process)
    loop
      execute format('create policy %I on graphile_worker.%I to %I using (true) with check (true)', process, granted.relname, process);
    end loop;
  end loop;
end $$;
