-- Ends a checkout's intent with the payment intent that the processor created. The client secret is kept while the payment can still be
-- paid. False: the claim is lost, and nothing was written.
create or replace function record_checkout(
  intent uuid, held_fence integer, said jsonb, payment text, processor_id text, new_status text, sealed bytea
) returns boolean
language plpgsql as $$
begin
  if not settle_intent(intent, held_fence, 'succeeded', said) then
    return false;
  end if;
  update payments p
  set status = case when p.status = 'pending' then new_status else p.status end,
    sealed_client_secret = case when p.status in ('succeeded', 'canceled') then null else sealed end
  where p.id = payment;
  perform name_payment(payment, processor_id);
  return true;
end $$;
