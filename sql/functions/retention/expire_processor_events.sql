-- Deletes processor events that were applied, that concern nothing known, or that an operator has closed. Failed attempts to pay stay: they
-- belong to the timeline of their payment. As expire_events; the key is the time of the receipt and the id.
create or replace function expire_processor_events(kept_s double precision, most integer, after text)
returns table (picked integer, deleted integer, last text, oldest_s double precision)
language sql as $$
  with chosen as materialized (
    select e.id, e.received_at
    from processor_events e
    where e.received_at < now() - make_interval(secs => kept_s)
      and (e.received_at, e.id) > (expired_after(after), substring(after from '[^ ]*$'))
    order by e.received_at, e.id
    limit most
  ), old as materialized (
    select e.id
    from processor_events e
    where e.id = any (array(select c.id from chosen c))
      and e.outcome is not null
      and (e.closed_at is not null or (e.outcome <> 'unreadable' and e.fact ->> 'about' is distinct from 'warning' and not (
        e.type = 'payment_intent.succeeded' and e.outcome = 'not_ours' and exists (
          select
          from payments p
          where p.id = e.fact ->> 'paymentId'
        ))))
      and (e.payment_id is null or e.type <> 'payment_intent.payment_failed')
    for update skip locked
  ), gone as (
    delete from processor_events e
    where e.id = any (array(select o.id from old o))
    returning 1
  )
  select (select count(*) from chosen)::integer, (select count(*) from gone)::integer,
    (select c.received_at || ' ' || c.id from chosen c order by c.received_at desc, c.id desc limit 1),
    (select extract(epoch from now() - min(c.received_at)) from chosen c)::double precision
$$;
