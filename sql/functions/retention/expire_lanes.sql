-- Deletes empty lanes, whatever their age. The next order creates its lane again. As expire_events; the key is the name.
create or replace function expire_lanes(kept_s double precision, most integer, after text)
returns table (picked integer, deleted integer, last text, oldest_s double precision)
language sql as $$
  with chosen as materialized (
    select l.name, l.head
    from lanes l
    where l.name > after
    order by l.name
    limit most
  ), idle as materialized (
    select l.name
    from lanes l
    where l.name = any (array(select c.name from chosen c where c.head is null))
      and l.head is null
      and not exists (select from intents i where i.lane = l.name and i.phase = 'pending' and i.state = 'queued')
    for update skip locked
  ), gone as (
    delete from lanes l
    where l.name = any (array(select i.name from idle i))
    returning 1
  )
  select (select count(*) from chosen)::integer, (select count(*) from gone)::integer, (select max(c.name) from chosen c),
    0::double precision
$$;
