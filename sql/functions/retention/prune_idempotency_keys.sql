-- Deletes keys that are too old to be replayed. One whose intent is open stays: a repeat would be a second write while the effect of the first is
-- unknown. Like all prune_… functions it deletes at most `most` rows older than `kept_s` (seconds) and returns how many; call it again while that is
-- `most`. It skips rows that another transaction has locked, so nobody waits longer than for one batch.
create or replace function prune_idempotency_keys(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select k.ctid as row_ctid
    from idempotency_keys k
    where k.created_at < now() - make_interval(secs => kept_s)
      -- one look-up for each key: joined, for as many keys as may be old, it reads all intents
      and (select i.settled_at is null from intents i where i.id = k.intent_id) is not true
    order by k.created_at
    limit most
    for update skip locked
  ), gone as (
    delete from idempotency_keys k
    where k.ctid = any (array(select row_ctid from old))
    returning 1
  )
  select count(*) from gone
$$;
