-- Deletes ended orders, each together with the intent that placed it: neither exists without the other. An order stays, whatever its age,
-- while it rests, its exits wait, or an open verb refers to it. As prune_idempotency_keys.
create or replace function prune_orders(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from intent_kinds k
    cross join lateral (
      select o.id
      from intents i
      join orders o on o.id = i.id
      where i.kind = k.kind
        and i.settled_at < now() - make_interval(secs => kept_s)
        and o.lifecycle is distinct from 'resting'
        and o.executed ->> 'trigger_status' is distinct from 'pending_parent_fill'
        and o.id::text <> all (array(
          select coalesce(t.request ->> 'target', '')
          from intents t
          where t.state in ('queued', 'running', 'in_doubt')
        ))
        and not exists (select from idempotency_keys ik where ik.intent_id = i.id)
      order by i.settled_at
      limit most
      for update skip locked
    ) s
    where k.retention in ('with_order', 'alone_or_with_order')
    limit most
  ), intents_gone as (
    delete from intents i
    where i.id = any (array(select id from old))
  ), gone as (
    delete from orders o
    where o.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
