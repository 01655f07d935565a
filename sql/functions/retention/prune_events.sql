-- Deletes events whose deliveries all ended that long ago, with those deliveries and their attempts. An event without one of its deliveries
-- would look as if the endpoint had missed it. As prune_idempotency_keys.
create or replace function prune_events(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select v.id
    from events v
    where v.id < sortable_from('evt', now() - make_interval(secs => kept_s))
      and not exists (
        select
        from webhook_deliveries d
        where d.event_id = v.id
          and (d.ended_at is null or d.ended_at >= now() - make_interval(secs => kept_s))
      )
    order by v.id
    limit most
    for update skip locked
  ), attempts_gone as (
    delete from webhook_attempts a
    where a.delivery_id = any (array(
      select d.id
      from webhook_deliveries d
      where d.event_id = any (array(select id from old))
    ))
  ), deliveries_gone as (
    delete from webhook_deliveries d
    where d.event_id = any (array(select id from old)) and d.ended_at is not null
  ), gone as (
    delete from events v
    where v.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
