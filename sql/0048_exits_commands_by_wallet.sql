-- Outside a transaction
-- The commands that have placed exits for the positions of a wallet: asked whenever its executions are recorded, to name the exits among them.
drop index concurrently if exists intents_protecting;

create index concurrently intents_protecting on intents (lane, created_at)
where kind = 'exchange/protect';
