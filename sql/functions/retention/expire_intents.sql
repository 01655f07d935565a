-- Deletes settled intents that no key replays, that created nothing that still exists, and whose exits are not wanted any more. Placements are
-- deleted with their orders; intents that moved money stay. As expire_events; the key is the time of the end and the id.
create or replace function expire_intents(kept_s double precision, most integer, after text)
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
    where k.retention in ('alone', 'alone_or_with_order')
    order by s.settled_at, s.id
    limit most
  ), old as materialized (
    select i.id
    from intents i
    where i.id = any (array(select c.id from chosen c))
      and not exists (select from idempotency_keys ik where ik.intent_id = i.id)
      and not exists (select from orders o where o.id = i.id)
      and not exists (select from subaccounts s where s.intent_id = i.id)
      and not exists (select from prop_accounts a where a.intent_id = i.id)
      and not exists (
        select
        from wanted_exits w
        where w.venue = (select k.venue from intent_kinds k where k.kind = i.kind)
          and w.trader = coalesce(i.request ->> 'wallet', i.request ->> 'trader')
          and w.wanted @> jsonb_build_array(jsonb_build_object('order_uuid', i.id))
      )
    for update skip locked
  ), gone as (
    delete from intents i
    where i.id = any (array(select o.id from old o))
    returning 1
  )
  select (select count(*) from chosen)::integer, (select count(*) from gone)::integer,
    (select c.settled_at || ' ' || c.id from chosen c order by c.settled_at desc, c.id desc limit 1),
    (select extract(epoch from now() - min(c.settled_at)) from chosen c)::double precision
$$;
