-- Queues a sync of every account that is due, at most `most`: 20 a second, because orders wait for the same workers. They are due again `every_s`
-- seconds later. Apps take turns, so that none waits for all accounts of another; of an app those come first that are due longest. Returns how many.
create or replace function sweep_prop_accounts(every_s double precision, most integer) returns bigint
language sql as $$
  with line as (
    select a.id, row_number() over (partition by a.owner order by a.sync_after) as nth
    from prop_accounts a
    where a.status in ('provisioning', 'evaluation', 'funded')
      and a.synthetic_hotkey is not null
      and a.sync_after <= now()
  ), due as (
    select a.id
    from line l
    join prop_accounts a on a.id = l.id
    where a.sync_after <= now()
    order by l.nth, a.sync_after
    limit most
    for no key update of a skip locked
  ), planned as (
    update prop_accounts a
    set sync_after = now() + make_interval(secs => every_s)
    from due
    where a.id = due.id
    returning a.id
  ), queued as (
    select plan_sync(n.id, (n.nth - 1) * 0.05)
    from (
      select p.id, row_number() over () as nth
      from planned p
    ) n
  )
  select count(*) from queued
$$;
