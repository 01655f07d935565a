-- The task that applies an event about such an object. Null if the service does not follow such objects.
create or replace function event_task(about text) returns text
language sql immutable as $$
  select case
    when about in ('payment', 'charge') then 'payments/notified'
    when about = 'verification' then 'kyc/notified'
    when about in ('account', 'payout', 'transfer') then 'payouts/notified'
  end
$$;
