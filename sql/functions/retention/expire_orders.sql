-- Deletes orders that ended that long ago, each together with the intent that placed it: neither exists without the other. An order stays, whatever
-- its age, while it rests, its exits wait or are wanted, or an open verb refers to it. As expire_events; the key is the time of the placement's end
-- and the id.
create or replace function expire_orders(kept_s double precision, most integer, after text)
returns table (picked integer, deleted integer, last text, oldest_s double precision)
language sql as $$
  with chosen as materialized (
    select s.id, s.settled_at
    from intent_kinds k
    cross join lateral (
      select i.id, i.settled_at
      from intents i
      where i.kind = k.kind
        and i.settled_at < now() - make_interval(secs => kept_s)
        and (i.settled_at, i.id) > (expired_after(after), expired_id(after))
      order by i.settled_at, i.id
      limit most
    ) s
    where k.retention in ('with_order', 'alone_or_with_order')
    order by s.settled_at, s.id
    limit most
  ), old as materialized (
    select i.id
    from intents i
    join orders o on o.id = i.id
    where i.id = any (array(select c.id from chosen c))
      and o.lifecycle is distinct from 'resting'
      and coalesce(o.ended_at, '-infinity') < now() - make_interval(secs => kept_s)
      and o.executed ->> 'trigger_status' is distinct from 'pending_parent_fill'
      and o.id::text <> all (array(
        select coalesce(t.request ->> 'target', '')
        from intents t
        where (t.phase = 'pending' or t.phase = 'in_doubt')
      ))
      and not exists (select from idempotency_keys ik where ik.intent_id = i.id)
      and not exists (
        select
        from wanted_exits w
        where w.venue = o.venue and w.trader = o.trader and w.wanted @> jsonb_build_array(jsonb_build_object('order_uuid', o.id))
      )
    for update skip locked
  ), intents_gone as (
    delete from intents i
    where i.id = any (array(select o.id from old o))
  ), gone as (
    delete from orders o
    where o.id = any (array(select id from old))
    returning 1
  )
  select (select count(*) from chosen)::integer, (select count(*) from gone)::integer,
    (select c.settled_at || ' ' || c.id from chosen c order by c.settled_at desc, c.id desc limit 1),
    (select extract(epoch from now() - min(c.settled_at)) from chosen c)::double precision
$$;
