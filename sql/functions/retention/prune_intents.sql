-- Deletes settled intents that no key replays and that created nothing that still exists. Placements are deleted with their orders; intents
-- that moved money stay. As prune_idempotency_keys.
create or replace function prune_intents(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select s.id
    from intent_kinds k
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
    where k.retention in ('alone', 'alone_or_with_order')
    limit most
  ), gone as (
    delete from intents i
    where i.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
