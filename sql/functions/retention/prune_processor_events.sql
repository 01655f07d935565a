-- Deletes processor events that were applied, that concern nothing known, or that an operator has closed. Failed attempts to pay stay: they belong to the timeline of
-- their payment. As prune_idempotency_keys.
create or replace function prune_processor_events(kept_s double precision, most integer) returns bigint
language sql as $$
  with old as materialized (
    select e.id
    from processor_events e
    where e.received_at < now() - make_interval(secs => kept_s)
      and e.outcome is not null
      and (e.closed_at is not null or (e.outcome <> 'unreadable' and e.fact ->> 'about' is distinct from 'warning' and not (
        e.type = 'payment_intent.succeeded' and e.outcome = 'not_ours' and exists (
          select
          from payments p
          where p.id = e.fact ->> 'paymentId'
        ))))
      and (e.payment_id is null or e.type <> 'payment_intent.payment_failed')
    order by e.received_at
    limit most
    for update skip locked
  ), gone as (
    delete from processor_events e
    where e.id = any (array(select id from old))
    returning 1
  )
  select count(*) from gone
$$;
