-- Prop accounts whose positions are looked at for those who follow them. Nobody is looked at but while someone listens or an order rests.
create table account_watches (
  prop_account_id text primary key,
  listened_until timestamptz not null default '-infinity',
  positions jsonb,
  version integer not null default 0,
  looked_at timestamptz not null default '-infinity',
  told_at timestamptz not null default '-infinity'
);

comment on column account_watches.listened_until is 'A lease: web processes with listeners renew it.';
comment on column account_watches.positions is 'Open positions as followers were last told; null before the first look.';
comment on column account_watches.told_at is 'When they were: prices that move alone are not told at every look.';
comment on column account_watches.version is 'Raised by every look; a look that another overtook tells nothing.';

-- Whether an account is to be looked at.
create function is_watched(account text) returns boolean
language sql stable as $$
  select exists (select from account_watches w where w.prop_account_id = account and w.listened_until > now())
    or exists (
      select
      from prop_accounts a
      join orders o on o.trader = a.synthetic_hotkey and o.lifecycle = 'resting'
      where a.id = account and a.status in ('evaluation', 'funded')
    )
$$;

-- Plans the next look at an account, where one is wanted. There is one planned look per account: a later plan takes its place.
create function plan_watch(account text, delay_s double precision) returns void
language sql as $$
  select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', account),
    run_at => now() + make_interval(secs => delay_s), job_key => 'trading/watch:' || account, max_attempts => 5)
  where is_watched(account)
$$;

-- Renews the lease of accounts that someone listens to, and plans a look at those nobody has listened to or looked at of late.
create function listen_to_accounts(accounts text[], lease_s double precision, stale_s double precision) returns void
language sql as $$
  with known as materialized (
    select w.prop_account_id as id
    from account_watches w
    where w.prop_account_id = any(accounts)
      and w.listened_until > now()
      and w.looked_at > now() - make_interval(secs => stale_s)
  ), leased as (
    insert into account_watches as w (prop_account_id, listened_until)
    select l.id, now() + make_interval(secs => lease_s)
    from unnest(accounts) as l (id)
    order by l.id
    on conflict (prop_account_id) do update set listened_until = greatest(w.listened_until, excluded.listened_until)
    returning w.prop_account_id as id
  )
  select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', l.id),
    job_key => 'trading/watch:' || l.id, max_attempts => 5)
  from leased l
  where l.id not in (select k.id from known k)
$$;

-- Records a look: the positions as they are told from now on, and an event for each change. False where another look came between.
create function record_watch(account text, seen_version integer, shown jsonb, changes jsonb) returns boolean
language plpgsql as $$
begin
  insert into account_watches (prop_account_id) values (account) on conflict do nothing;
  update account_watches
  set positions = coalesce(shown, positions), version = version + 1, looked_at = now(),
    told_at = case when shown is null then told_at else now() end
  where prop_account_id = account and version = seen_version;
  if not found then
    return false;
  end if;
  perform record_account_event(account, 'position', c.change)
  from jsonb_array_elements(changes) with ordinality as c (change, place);
  return true;
end $$;

-- Plans a look at every account that is to be watched and whose chain of looks has broken. Returns how many.
create function sweep_watches(stale_s double precision, most integer) returns bigint
language sql as $$
  with broken as (
    select w.prop_account_id as id
    from account_watches w
    where w.listened_until > now() and w.looked_at < now() - make_interval(secs => stale_s)
    union
    select a.id
    from orders o
    join prop_accounts a on a.synthetic_hotkey = o.trader and a.owner = o.owner and a.status in ('evaluation', 'funded')
    left join account_watches w on w.prop_account_id = a.id
    where o.lifecycle = 'resting' and coalesce(w.looked_at, '-infinity') < now() - make_interval(secs => stale_s)
    order by 1
    limit most
  ), planned as (
    select plan_watch(b.id, 0) from broken b
  )
  select count(*) from planned
$$;

-- Forgets events that nobody can resume behind any more. Returns how many.
create function forget_account_events(kept_s double precision, most integer) returns bigint
language sql as $$
  with forgotten as (
    delete from account_events e
    where e.ctid = any(array(
      select o.ctid
      from account_events o
      where o.created_at < now() - make_interval(secs => kept_s)
      order by o.created_at
      limit most
    ))
    returning 1
  )
  select count(*) from forgotten
$$;
