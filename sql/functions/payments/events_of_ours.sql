-- The ids of those events whose object one of our rows names. The metadata of an object counts only for a payment whose checkout has not
-- learned the processor's id. Of an object that could not be read the id is enough. Item: id, fact.
create or replace function events_of_ours(batch jsonb) returns table (event_id text)
language sql stable as $$
  with items as materialized (
    select i.id, i.fact ->> 'about' as about, event_object(i.fact) as object, i.fact ->> 'paymentId' as payment, i.fact ->> 'accountId' as account
    from jsonb_to_recordset(batch) as i (id text, fact jsonb)
  )
  select i.id
  from items i
  join payments p on p.processor_payment_intent_id = i.object
  where i.about in ('payment', 'charge', 'warning')
  union all
  select i.id
  from items i
  join payments p on p.id = i.payment
  where i.about = 'payment' and p.processor_payment_intent_id is null
  union all
  select i.id
  from items i
  join kyc_cases k on k.session_id = i.object
  where i.about = 'verification'
  union all
  select i.id
  from items i
  join kyc_cases k on k.earlier_session_ids @> array[i.object]
  where i.about = 'verification'
  union all
  select i.id
  from items i
  join connect_accounts c on c.processor_account_id = i.object
  where i.about in ('account', 'deauthorization')
  union all
  select i.id
  from items i
  join payout_steps s on s.processor_id = i.object and s.step = 'payout'
  join payouts p on p.id = s.payout_id
  join connect_accounts c on c.id = p.connect_account_id and c.processor_account_id = i.account
  where i.about = 'payout'
  union all
  select i.id
  from items i
  join payouts p on p.processor_transfer_id = i.object
  join connect_accounts c on c.id = p.connect_account_id and c.processor_account_id = i.account
  where i.about = 'transfer'
  union all
  select i.id
  from items i
  where i.about = 'unreadable'
    and (exists (select from payments p where p.processor_payment_intent_id = i.object)
      or exists (select from kyc_cases k where k.session_id = i.object)
      or exists (select from kyc_cases k where k.earlier_session_ids @> array[i.object])
      or exists (select from connect_accounts c where c.processor_account_id = i.object)
      or exists (select from payout_steps s where s.processor_id = i.object)
      or exists (select from payouts p where p.processor_transfer_id = i.object))
$$;
