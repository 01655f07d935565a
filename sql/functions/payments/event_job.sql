-- The job that applies an event; an unreadable one goes where what it is about (`of`) would.
create or replace function event_job(event text, fact jsonb) returns graphile_worker.job_spec
language sql immutable as $$
  select money_job(case
    when o.followed in ('payment', 'charge', 'warning', 'unreadable') then 'payments/notified'
    when o.followed = 'verification' then 'kyc/notified'
    when o.followed in ('account', 'deauthorization', 'payout', 'transfer') then 'payouts/notified'
  end, json_build_object('event_id', event), null)
  from (values (coalesce(nullif(fact ->> 'about', 'unreadable'), fact ->> 'of', 'unreadable'))) as o (followed)
$$;
