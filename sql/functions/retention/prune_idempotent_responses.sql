-- Deletes expired stored responses. As prune_idempotency_keys.
create or replace function prune_idempotent_responses(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select k.ctid as row_ctid
    from idempotent_responses k
    where k.created_at < now() - make_interval(secs => kept_s)
    order by k.created_at
    limit most
    for update skip locked
  ), gone as (
    delete from idempotent_responses k
    where k.ctid = any (array(select row_ctid from old))
    returning 1
  )
  select count(*) from gone
$$;
