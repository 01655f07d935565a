-- Locks the payment of an account, if it has one. Every operator's action on money or an account begins with it, so that of two at once one
-- sees what the other has done.
create or replace function lock_payment_of(account text) returns void
language plpgsql as $$
begin
  perform from payments p where p.id = (select a.payment_id from prop_accounts a where a.id = account) for no key update;
end $$;
