-- Ends a checkout's intent with the payment intent that the processor created. The client secret is kept while the payment can still be paid. One
-- that was paid before it is recorded here counts as processing until what was received is read, which is queued. If it was canceled before, emits
-- payment.failed, as a later cancellation does.
create or replace function record_checkout(
  intent uuid, held_fence integer, said jsonb, payment text, processor_id text, new_status text, sealed bytea
) returns void
language plpgsql as $$
declare
  was text;
begin
  perform settle_claim(intent, held_fence, 'succeeded', said);
  select p.status into was from payments p where p.id = payment for no key update;
  update payments p
  set status = case when p.status <> 'pending' then p.status when new_status = 'succeeded' then 'processing' else new_status end,
    sealed_client_secret = case when 'succeeded' in (p.status, new_status) or 'canceled' in (p.status, new_status) then null else sealed end
  where p.id = payment;
  perform name_payment(payment, processor_id);
  if was = 'pending' and new_status = 'succeeded' then
    perform enqueue(array[money_job('payments/read', json_build_object('payment_id', payment), null)]);
  elsif was = 'pending' and new_status = 'canceled' then
    perform emit_payment(p, 'payment.failed', jsonb_build_object('status', p.status)) from payments p where p.id = payment;
  end if;
end $$;
