-- Queues a reconciliation of payments that are still open at the processor, at most `most`, for 2 days after the checkout: 20 a second,
-- because orders wait for the same workers. Returns how many.
create or replace function queue_payment_reconciliations(every_s double precision, most integer) returns bigint
language sql as $$
  with due as (
    select p.id
    from payments p
    where p.paid_at is null
      and p.status not in ('pending', 'failed', 'canceled')
      and p.created_at between now() - interval '2 days' and now() - make_interval(secs => every_s)
      and (p.reconciled_at is null or p.reconciled_at < now() - make_interval(secs => every_s))
    order by p.reconciled_at nulls first
    limit most
    for update skip locked
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
