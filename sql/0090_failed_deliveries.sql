-- Outside a transaction: the old code goes on writing meanwhile.

-- What has failed for good is counted every few seconds, and what was delivered must not be counted with it.
drop index concurrently if exists webhook_deliveries_failed;
create index concurrently webhook_deliveries_failed on webhook_deliveries (ended_at) where state = 'failed';
