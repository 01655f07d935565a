-- Deletes sessions of operators by their expiry. As prune_idempotency_keys.
create or replace function prune_admin_sessions(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from admin_sessions s
    where s.expires_at < now() - make_interval(secs => kept_s)
    order by s.expires_at
    limit most
    for update skip locked
  ), gone as (
    delete from admin_sessions s
    where s.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
