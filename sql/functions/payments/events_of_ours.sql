-- The ids of those events whose object one of our rows names, some of them twice. The metadata of an object counts only for a payment whose checkout
-- has not learned the processor's id. Of an object that could not be read the id is enough. Item: id, fact.
create or replace function events_of_ours(batch jsonb) returns table (event_id text)
language sql stable as $$
  with items as materialized (
    select i.id, i.fact ->> 'about' as about, event_object(i.fact) as object, i.fact ->> 'paymentId' as payment, i.fact ->> 'accountId' as account
    from jsonb_to_recordset(batch) as i (id text, fact jsonb)
  )
  select i.id
  from items i
  join payments p on p.processor_payment_intent_id = i.object
  where i.about in ('payment', 'charge', 'warning', 'unreadable')
  union all
  select i.id
  from items i
  join payments p on p.id = i.payment
  where i.about = 'payment' and p.processor_payment_intent_id is null
  union all
  select i.id
  from items i
  join kyc_cases k on k.session_id = i.object or k.earlier_session_ids @> array[i.object]
  where i.about in ('verification', 'unreadable')
  union all
  select i.id
  from items i
  join connect_accounts c on c.processor_account_id = i.object
  where i.about in ('account', 'deauthorization', 'unreadable')
  union all
  select i.id
  from items i
  join payout_steps s on s.processor_id = i.object
  join payouts p on p.id = s.payout_id
  join connect_accounts c on c.id = p.connect_account_id
  where i.about = 'unreadable' or (i.about = 'payout' and s.step = 'payout' and c.processor_account_id = i.account)
  union all
  select i.id
  from items i
  join payouts p on p.processor_transfer_id = i.object
  join connect_accounts c on c.id = p.connect_account_id
  where i.about = 'unreadable' or (i.about = 'transfer' and c.processor_account_id = i.account)
$$;
