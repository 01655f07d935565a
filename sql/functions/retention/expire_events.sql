-- Deletes events whose deliveries all ended that long ago, with those deliveries and their attempts. An event without one of its deliveries
-- would look as if the endpoint had missed it. Like all expire_… functions it picks at most `most` rows older than `kept_s` (seconds) behind
-- `after`, in the order of a key, and judges only these: what stays costs nothing but being picked once. It returns how many it picked and how
-- many it deleted, the key of the last one for the next call, and the age of the oldest in seconds; fewer than `most` picked: none are left.
-- It skips rows that another transaction has locked.
create or replace function expire_events(kept_s double precision, most integer, after text)
returns table (picked integer, deleted integer, last text, oldest_s double precision)
language sql as $$
  with chosen as materialized (
    select v.id, v.created_at
    from events v
    where v.id < sortable_from('evt', now() - make_interval(secs => kept_s)) and v.id > after
    order by v.id
    limit most
  ), kept as materialized (
    select distinct d.event_id
    from webhook_deliveries d
    where d.event_id = any (array(select c.id from chosen c))
      and (d.ended_at is null or d.ended_at >= now() - make_interval(secs => kept_s))
  ), old as materialized (
    select v.id
    from events v
    where v.id = any (array(select c.id from chosen c where c.id not in (select k.event_id from kept k)))
    for update skip locked
  ), ended as materialized (
    select d.id
    from webhook_deliveries d
    where d.event_id = any (array(select o.id from old o))
  ), attempts_gone as (
    delete from webhook_attempts a
    where a.delivery_id = any (array(select e.id from ended e))
  ), deliveries_gone as (
    delete from webhook_deliveries d
    where d.id = any (array(select e.id from ended e)) and d.ended_at is not null
  ), gone as (
    delete from events v
    where v.id = any (array(select o.id from old o))
    returning 1
  )
  select (select count(*) from chosen)::integer, (select count(*) from gone)::integer, (select max(c.id) from chosen c),
    (select extract(epoch from now() - min(c.created_at)) from chosen c)::double precision
$$;
