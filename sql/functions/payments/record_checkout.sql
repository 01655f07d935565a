-- Ends a checkout's intent with the payment intent that the processor created. The client secret is kept while the payment can still be
-- paid.
create or replace function record_checkout(
  intent uuid, held_fence integer, said jsonb, payment text, processor_id text, new_status text, sealed bytea
) returns void
language plpgsql as $$
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  update payments p
  set status = case when p.status = 'pending' then new_status else p.status end,
    sealed_client_secret = case when p.status in ('succeeded', 'canceled') then null else sealed end
  where p.id = payment;
  perform name_payment(payment, processor_id);
end $$;
