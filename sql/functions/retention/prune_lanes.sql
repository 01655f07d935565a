-- Deletes empty lanes, whatever their age. The next order creates its lane again. As prune_idempotency_keys.
create or replace function prune_lanes(kept_s double precision, most integer) returns bigint
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
