-- Outside a transaction
-- An endpoint's failed or cancelled deliveries, newest first, however many others it has.
drop index concurrently if exists webhook_deliveries_undelivered;

create index concurrently webhook_deliveries_undelivered on webhook_deliveries (endpoint_id, state, id)
where state in ('failed', 'cancelled');
