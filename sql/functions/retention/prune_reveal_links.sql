-- Deletes links that a newer one has replaced. The newest of each app stays, because its access request shows the link's state. As
-- prune_idempotency_keys.
create or replace function prune_reveal_links(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select l.id
    from reveal_links l
    where l.superseded_at is not null
      and l.expires_at < now() - make_interval(secs => kept_s)
    limit most
    for update skip locked
  ), gone as (
    delete from reveal_links l
    where l.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
