-- The processor's id of the object by which our rows name the object of an event: for a payout that takes another one back, that of the other one.
-- The first of these members that a fact has. Null: the service does not follow it.
create or replace function event_object(fact jsonb) returns text
language sql immutable as $$
  select coalesce(fact ->> 'originalId', fact ->> 'processorPayoutId', fact ->> 'transferId', fact ->> 'processorId', fact ->> 'sessionId',
    fact ->> 'object', fact ->> 'accountId')
$$;
