-- The task that applies an event about such an object; of an unreadable one, of what it is about (`unread`). Null if the service does not follow
-- such objects.
create or replace function event_task(about text, unread text default null) returns text
language sql immutable as $$
  select case
    when coalesce(nullif(about, 'unreadable'), unread) in ('payment', 'charge', 'warning') then 'payments/notified'
    when coalesce(nullif(about, 'unreadable'), unread) = 'verification' then 'kyc/notified'
    when coalesce(nullif(about, 'unreadable'), unread) in ('account', 'deauthorization', 'payout', 'transfer') then 'payouts/notified'
    when about = 'unreadable' then 'payments/notified'
  end
$$;
