-- Plans a poll of every watched account whose chain of polls is broken. Returns how many.
create or replace function sweep_watches(stale_s double precision, most integer) returns bigint
language sql as $$
  with broken as (
    select w.prop_account_id as id
    from account_watches w
    where w.listened_until > now() and w.reconciled_at < now() - make_interval(secs => stale_s)
    union
    select a.id
    from orders o
    join prop_accounts a on a.synthetic_hotkey = o.trader and a.owner = o.owner and a.status in ('evaluation', 'funded')
    left join account_watches w on w.prop_account_id = a.id
    where o.is_resting and coalesce(w.reconciled_at, '-infinity') < now() - make_interval(secs => stale_s)
    order by 1
    limit most
  ), planned as (
    select plan_watch(b.id, 0) from broken b
  )
  select count(*) from planned
$$;
