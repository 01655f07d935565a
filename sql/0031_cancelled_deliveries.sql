-- Outside a transaction
drop index concurrently if exists webhook_deliveries_cancelled;

create index concurrently webhook_deliveries_cancelled on webhook_deliveries (id) include (ended_at) where state = 'cancelled';
