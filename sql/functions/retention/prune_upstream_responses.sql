-- Deletes responses that were read long ago. They are read again when they are needed. As prune_idempotency_keys.
create or replace function prune_upstream_responses(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select r.upstream, r.name
    from upstream_responses r
    where r.read_at < now() - make_interval(secs => kept_s)
    limit most
    for update skip locked
  ), gone as (
    delete from upstream_responses r
    using old
    where r.upstream = old.upstream and r.name = old.name
    returning 1
  )
  select count(*) from gone
$$;
