-- Renews the lease of accounts with listeners, and plans a poll of those that had no listener or no recent poll. A single account is waited for; of
-- several, those that another transaction has locked are left to the next renewal, so that they do not delay the others.
create or replace function listen_to_accounts(accounts text[], lease_s double precision, stale_s double precision) returns void
language sql as $$
  insert into account_watches (prop_account_id)
  select l.id
  from unnest(accounts) as l (id)
  order by l.id
  on conflict do nothing;

  select
  from account_watches w
  where w.prop_account_id = accounts[1] and cardinality(accounts) = 1
  for no key update;

  with held as materialized (
    select w.prop_account_id as id, w.listened_until > now() and w.reconciled_at > now() - make_interval(secs => stale_s) as is_polled
    from account_watches w
    where w.prop_account_id = any(accounts)
    order by w.prop_account_id
    for no key update skip locked
  ), leased as (
    update account_watches w
    set listened_until = greatest(w.listened_until, now() + make_interval(secs => lease_s))
    from held h
    where w.prop_account_id = h.id
  )
  select graphile_worker.add_job('trading/watch', json_build_object('prop_account_id', h.id),
    job_key => 'trading/watch:' || h.id, max_attempts => 5), announce_outbound()
  from held h
  where not h.is_polled
$$;
