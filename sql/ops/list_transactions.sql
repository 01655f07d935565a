create or replace function ops.list_transactions() returns table (
  pid integer, role text, application text, address text, state text, prepared_as text, began_at timestamptz, age_s double precision
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select t.pid, t.role, t.application, t.address, t.state, t.prepared_as, t.began_at,
    extract(epoch from clock_timestamp() - t.began_at)::double precision
  from (
    select a.pid, a.usename::text as role, a.application_name as application, host(a.client_addr) as address, a.state, null as prepared_as,
      a.xact_start as began_at
    from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and a.xact_start is not null
      and a.backend_type <> 'autovacuum worker' -- which delays nobody
    union all
    select null, p.owner::text, null, null, 'prepared', p.gid, p.prepared
    from pg_prepared_xacts p
    where p.database = current_database()
  ) t
  order by t.began_at
$$;
comment on function ops.list_transactions is 'The rows of ops.transactions.';
