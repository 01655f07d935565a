-- Makes due what is due later than anything plans it, because the clock of the server was set back since, as by a failover: readings of exchange
-- wallets, comparisons of wanted exits, and look-ups of intents in doubt that have not thrown. Returns how many. Skips rows that another transaction
-- has locked.
create or replace function recall_postponed() returns bigint
language sql as $$
  with wallets as (
    update exchange_cursors c
    set due_at = now()
    where c.ex_wallet = any (array(
      select w.ex_wallet
      from exchange_cursors w
      where w.due_at > now() + interval '15 minutes' and w.due_at < 'infinity'
      for update skip locked
    ))
    returning 1
  ), exits as (
    update wanted_exits w
    set due_at = now()
    where w.ctid = any (array(
      select e.ctid
      from wanted_exits e
      where e.venue = any (array(select k.venue from intent_kinds k where k.venue is not null)) and e.is_changed in (true, false)
        and e.due_at > now() + interval '15 minutes'
      for update skip locked
    ))
    returning 1
  ), doubts as (
    select
    from graphile_worker.reschedule_jobs(array(
      select q.id
      from intents i
      cross join lateral (
        select j.id
        from queue_jobs j
        where j.key = 'doubt ' || i.id and j.attempts = 0 and j.run_at > now() + interval '15 minutes'
        limit 1
      ) q
      where i.phase = 'in_doubt'
    ), now())
  )
  select (select count(*) from wallets) + (select count(*) from exits) + (select count(*) from doubts)
$$;
