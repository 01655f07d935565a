-- Whether one of our rows names the object of an event. The metadata of an object counts only for a payment whose checkout has not learned
-- the processor's id.
create or replace function concerns_us(fact jsonb) returns boolean
language sql stable as $$
  select case fact ->> 'about'
    when 'payment' then exists (
      select
      from payments p
      where p.processor_payment_intent_id = fact ->> 'processorId'
    ) or exists (
      select
      from payments p
      where p.id = fact ->> 'paymentId' and p.processor_payment_intent_id is null
    )
    when 'charge' then exists (
      select
      from payments p
      where p.processor_payment_intent_id = fact ->> 'processorId'
    )
    when 'verification' then exists (
      select
      from kyc_cases k
      where k.session_id = fact ->> 'sessionId' or k.earlier_session_ids @> array[fact ->> 'sessionId']
    )
    when 'account' then exists (
      select
      from connect_accounts c
      where c.processor_account_id = fact ->> 'accountId'
    )
    when 'payout' then exists (
      select
      from payouts p
      join connect_accounts c on c.id = p.connect_account_id
      where p.id = fact ->> 'payoutId' and c.processor_account_id = fact ->> 'accountId'
    )
    else false
  end
$$;
