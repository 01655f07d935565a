-- Deletes mails that have ended. As prune_idempotency_keys.
create or replace function prune_mails(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select m.id
    from mails m
    where m.created_at < now() - make_interval(secs => kept_s)
      and m.state <> 'queued'
    order by m.created_at
    limit most
    for update skip locked
  ), gone as (
    delete from mails m
    where m.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
