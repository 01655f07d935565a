-- Emits an event about a payment whose checkout has failed, to its app: its caller may not have waited for the response. Body of trigger
-- payments_emit.
create or replace function emit_failed_checkout() returns trigger
language plpgsql as $$
begin
  perform emit_payment(new, 'payment.failed', jsonb_build_object('status', new.status));
  return null;
end $$;
