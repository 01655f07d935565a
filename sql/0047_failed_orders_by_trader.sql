-- Outside a transaction
-- The orders of a trader that have failed, in a long history of others.
drop index concurrently if exists intents_failed_by_trader;

create index concurrently intents_failed_by_trader on intents ((request ->> 'trader'), created_at, id)
where phase in ('failed', 'expired') and kind = 'network/place';
