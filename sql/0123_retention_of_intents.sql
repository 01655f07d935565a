-- How long rows live. Each function takes at most so many that are older than `kept_s` and answers how many it took: call again
-- while that is as many as it was allowed. What somebody holds is passed over, so nobody waits for longer than one batch.

-- Keys that no longer stand for their first answer.
create function prune_idempotency_keys(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select k.ctid as place
    from idempotency_keys k
    where k.created_at < now() - make_interval(secs => kept_s)
    order by k.created_at
    limit most
    for update skip locked
  ), gone as (
    delete from idempotency_keys k
    where k.ctid = any (array(select place from old))
    returning 1
  )
  select count(*) from gone
$$;

create function prune_kept_answers(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select k.ctid as place
    from kept_answers k
    where k.created_at < now() - make_interval(secs => kept_s)
    order by k.created_at
    limit most
    for update skip locked
  ), gone as (
    delete from kept_answers k
    where k.ctid = any (array(select place from old))
    returning 1
  )
  select count(*) from gone
$$;

-- Settled intents that stand alone: no key replays them, and nothing they made is still there. Placements go with their orders; what
-- moved money stays with the money.
create function prune_intents(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from unnest(array[
      'orders/cancel', 'orders/edit', 'orders/close', 'orders/protect',
      'orders/exvenue/cancel', 'orders/exvenue/close', 'orders/exvenue/protect',
      'accounts/provision', 'kyc/session', 'payouts/link'
    ]) as k (kind)
    cross join lateral (
      select i.id
      from intents i
      where i.kind = k.kind
        and i.settled_at < now() - make_interval(secs => kept_s)
        and not exists (select from idempotency_keys ik where ik.intent_id = i.id)
        and not exists (select from orders o where o.id = i.id)
        and not exists (select from subaccounts s where s.intent_id = i.id)
        and not exists (select from prop_accounts a where a.intent_id = i.id)
      order by i.settled_at
      limit most
      for update skip locked
    ) s
    limit most
  ), gone as (
    delete from intents i
    where i.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;

-- Orders that are over, each together with the intent that placed it: one is never there without the other. An order that rests,
-- whose exits wait, or that an open verb is about stays, however old it is.
create function prune_orders(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from unnest(array['orders/place', 'orders/protect', 'orders/exvenue/place']) as k (kind)
    cross join lateral (
      select o.id
      from intents i
      join orders o on o.id = i.id
      where i.kind = k.kind
        and i.settled_at < now() - make_interval(secs => kept_s)
        and o.lifecycle is distinct from 'resting'
        and o.executed ->> 'trigger_status' is distinct from 'pending_parent_fill'
        and o.id::text <> all (array(
          select coalesce(t.asked ->> 'target', '')
          from intents t
          where t.state in ('queued', 'running', 'in_doubt')
        ))
        and not exists (select from idempotency_keys ik where ik.intent_id = i.id)
      order by i.settled_at
      limit most
      for update skip locked
    ) s
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

-- Lanes in which nothing is: the next order makes its lane anew.
create function prune_lanes(kept_s double precision, most integer) returns bigint
language sql as $$
  with idle as materialized (
    select l.name
    from lanes l
    where l.head is null
      and not exists (select from intents i where i.lane = l.name and i.state = 'queued')
    limit most
    for update skip locked
  ), gone as (
    delete from lanes l
    where l.name = any (array(select name from idle))
    returning 1
  )
  select count(*) from gone
$$;
