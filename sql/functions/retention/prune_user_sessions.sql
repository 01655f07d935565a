-- Deletes sessions of end users by their expiry. As prune_idempotency_keys.
create or replace function prune_user_sessions(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from user_sessions s
    where s.expires_at < now() - make_interval(secs => kept_s)
    order by s.expires_at
    limit most
    for update skip locked
  ), gone as (
    delete from user_sessions s
    where s.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
