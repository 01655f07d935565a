-- Deletes responses that were read long ago. They are read again when they are needed. As prune_idempotency_keys.
create or replace function prune_upstream_responses(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select r.ctid as row_ctid
    from upstream_responses r
    where r.read_at < now() - make_interval(secs => kept_s)
    order by r.read_at
    limit most
    for update skip locked
  ), gone as (
    delete from upstream_responses r
    where r.ctid = any (array(select row_ctid from old))
    returning 1
  )
  select count(*) from gone
$$;
