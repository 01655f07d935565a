-- Renews the lease of accounts with listeners, and plans a poll of those that had no listener or no recent poll.
create or replace function listen_to_accounts(accounts text[], lease_s double precision, stale_s double precision) returns void
language sql as $$
  with known as materialized (
    select w.prop_account_id as id
    from account_watches w
    where w.prop_account_id = any(accounts)
      and w.listened_until > now()
      and w.reconciled_at > now() - make_interval(secs => stale_s)
  ), leased as (
    insert into account_watches as w (prop_account_id, listened_until)
    select l.id, now() + make_interval(secs => lease_s)
    from unnest(accounts) as l (id)
    order by l.id
    on conflict (prop_account_id) do update set listened_until = greatest(w.listened_until, excluded.listened_until)
    returning w.prop_account_id as id
  )
  select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', l.id),
    job_key => 'trading/watch:' || l.id, max_attempts => 5), announce_outbound()
  from leased l
  where l.id not in (select k.id from known k)
$$;
