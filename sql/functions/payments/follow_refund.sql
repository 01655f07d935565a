-- Lets the account of a payment follow the end of a refund without a known effect. A step of follow_ending. Locks the payment, then what
-- settle_money locks.
create or replace function follow_refund(intent uuid) returns void
language plpgsql as $$
declare
  payment text;
begin
  select p.id into payment from payments p where p.refund_intent_id = intent for no key update;
  if payment is not null then
    perform settle_money(payment);
  end if;
end $$;
