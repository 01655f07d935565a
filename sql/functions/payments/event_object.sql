-- The processor's id of the object by which our rows name the object of an event: for a payout that takes another one back, that of the other one.
-- Null: the service does not follow it.
create or replace function event_object(fact jsonb) returns text
language sql immutable as $$
  select case fact ->> 'about'
    when 'payment' then fact ->> 'processorId'
    when 'charge' then fact ->> 'processorId'
    when 'warning' then fact ->> 'processorId'
    when 'verification' then fact ->> 'sessionId'
    when 'account' then fact ->> 'accountId'
    when 'deauthorization' then fact ->> 'accountId'
    when 'payout' then coalesce(fact ->> 'originalId', fact ->> 'processorPayoutId')
    when 'transfer' then fact ->> 'transferId'
    when 'unreadable' then fact ->> 'object'
  end
$$;
