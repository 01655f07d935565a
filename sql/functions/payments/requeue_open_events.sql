-- Queues events again that are still open 1 minute after they arrived, for 1 day. Returns how many.
create or replace function requeue_open_events() returns bigint
language sql as $$
  with again as (
    select queue_money_jobs(array[money_job(
      case e.fact ->> 'about' when 'verification' then 'kyc/notified' when 'account' then 'payouts/notified' when 'payout' then 'payouts/notified'
        else 'payments/notified' end,
      json_build_object('event_id', e.id), null)])
    from processor_events e
    where e.acted_at is null
      and e.outcome = 'unknown'
      and e.received_at between now() - interval '1 day' and now() - interval '1 minute'
  )
  select count(*) from again
$$;
