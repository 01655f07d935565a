-- Why unreadable events that no operator has closed stop the account of a payment. Null: there are none.
create or replace function unread_stop(of_payment text) returns text
language sql stable as $$
  select case
    when bool_or(e.type like 'charge.dispute.%') then 'disputed'
    when bool_or(e.type like 'charge.%' or e.type like 'refund.%') then 'refunded'
    when count(*) > 0 then 'under_review'
  end
  from processor_events e
  where e.payment_id = of_payment and e.outcome = 'unreadable' and e.closed_at is null
$$;
