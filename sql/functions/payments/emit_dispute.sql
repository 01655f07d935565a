-- Emits an event about a dispute of a payment that was opened, won or lost, to the payment's app. An inquiry is a dispute too. Body of trigger
-- payment_losses_emit.
create or replace function emit_dispute() returns trigger
language plpgsql as $$
declare
  was text := case when tg_op = 'UPDATE' then dispute_end(old.status) end;
  is_now text := dispute_end(new.status);
  p payments;
  data jsonb;
begin
  if new.kind <> 'dispute' or tg_op = 'UPDATE' and is_now is not distinct from was then
    return null;
  end if;
  select * into strict p from payments where id = new.payment_id;
  data := jsonb_build_object(
    'processor_dispute_id', new.processor_id,
    'amount_cents', new.amount_cents,
    'currency', coalesce(p.received_currency, p.currency),
    'status', new.status
  );
  if tg_op = 'INSERT' or is_now is null then
    perform emit_payment(p, 'payment.disputed', data);
  end if;
  if is_now = 'won' then
    perform emit_payment(p, 'payment.dispute_won', data);
  elsif is_now = 'lost' then
    perform emit_payment(p, 'payment.dispute_lost', data);
  end if;
  return null;
end $$;
