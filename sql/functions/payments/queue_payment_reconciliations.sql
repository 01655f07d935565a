-- Queues a reconciliation of payments that are still open at the processor, at most `most`, for 2 days after the checkout: 20 a second,
-- because orders wait for the same workers. Apps take turns, so that none waits for all that another has; of an app those come first that have
-- waited longest. Returns how many.
create or replace function queue_payment_reconciliations(every_s double precision, most integer) returns bigint
language sql as $$
  with line as (
    select p.id, row_number() over (partition by p.owner order by coalesce(p.reconciled_at, p.created_at)) as nth
    from payments p
    where p.paid_at is null
      and p.status not in ('pending', 'failed', 'canceled')
      and p.created_at between now() - interval '2 days' and now() - make_interval(secs => every_s)
      and (p.reconciled_at is null or p.reconciled_at < now() - make_interval(secs => every_s))
  ), due as (
    select p.id
    from line l
    join payments p on p.id = l.id
    where p.reconciled_at is null or p.reconciled_at < now() - make_interval(secs => every_s)
    order by l.nth, coalesce(p.reconciled_at, p.created_at)
    limit most
    for update of p skip locked
  ), reconciled as (
    update payments p
    set reconciled_at = now()
    from due
    where p.id = due.id
    returning p.id
  ), queued as (
    select enqueue(array_agg(money_job(
      'payments/read', json_build_object('payment_id', n.id), now() + (n.nth - 1) * interval '50 milliseconds')))
    from (
      select r.id, row_number() over () as nth
      from reconciled r
    ) n
    having count(*) > 0
  )
  select count(*) from reconciled, (select count(*) from queued) q
$$;
