-- Locks paces for this transaction, in one order: all of a batch before any slot, so that concurrent batches wait for each other without a deadlock.
-- Before that it makes them again after a crash (restore_unlogged).
create or replace function lock_paces(wanted text[]) returns bigint
language sql as $$
  select restore_unlogged();
  select count(pg_advisory_xact_lock(hashtextextended('pace ' || p.name, 0))::text)
  from (
    select distinct w.name
    from unnest(wanted) as w (name)
    where w.name is not null
    order by w.name
  ) p
$$;
