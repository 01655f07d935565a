-- Posts the losses of a payment that the ledger does not have yet, dated `said` by the processor's clock. The caller holds the payment.
create or replace function post_losses(p payments, said timestamptz, of_source text) returns void
language plpgsql as $$
declare
  l record;
begin
  select * into l from losses_of(p.id);
  perform post_entries(p.id, p.owner, e.kind, of_source, said, null, jsonb_build_array(
    leg('platform', e.account, e.currency, e.total - ledger_sum(p.id, array[e.account], e.currency))))
  from (values
    ('refund', 'refunds', coalesce(p.received_currency, p.currency), l.refunded),
    ('dispute', 'disputes', coalesce(p.received_currency, p.currency), l.withdrawn)
  ) as e (kind, account, currency, total);
end $$;
