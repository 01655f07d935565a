-- Outside a transaction: one statement after another, each of which lets the old code go on writing.

-- What retention looks for, oldest first.
drop index concurrently if exists intents_settled;
create index concurrently intents_settled on intents (kind, settled_at) where settled_at is not null;

-- What operators look at first, however many intents went well.
drop index concurrently if exists intents_troubled;
create index concurrently intents_troubled on intents (created_at) where state in ('in_doubt', 'failed', 'expired');

drop index concurrently if exists intents_expired;
create index concurrently intents_expired on intents (created_at) where state = 'expired';

-- What is in doubt of one lane: asked before every signature.
drop index concurrently if exists intents_doubtful;
create index concurrently intents_doubtful on intents (lane) where state = 'in_doubt';

-- An order by the exchange's own number, which is how cancellations name it.
drop index concurrently if exists orders_by_exchange_number;
create index concurrently orders_by_exchange_number on orders ((executed ->> 'ex_order_id')) where venue = 'exvenue';

-- An intent is kept while a key stands for it.
drop index concurrently if exists idempotency_keys_by_intent;
create index concurrently idempotency_keys_by_intent on idempotency_keys (intent_id);

-- Every delivery of an event, and still one per endpoint: in this order it serves the foreign key, too.
drop index concurrently if exists webhook_deliveries_of_event;
create unique index concurrently webhook_deliveries_of_event on webhook_deliveries (event_id, endpoint_id);

drop index concurrently if exists processor_events_by_age;
create index concurrently processor_events_by_age on processor_events (received_at);

-- Rows of one user, by the user alone: a user is of one app, and the foreign keys ask without it.
drop index concurrently if exists payments_of_user;
create index concurrently payments_of_user on payments (user_id, created_at);

drop index concurrently if exists prop_accounts_of_user;
create index concurrently prop_accounts_of_user on prop_accounts (user_id, created_at);

drop index concurrently if exists payouts_of_user;
create index concurrently payouts_of_user on payouts (user_id, requested_at);

drop index concurrently if exists trader_keys_of_user;
create index concurrently trader_keys_of_user on trader_keys (user_id, created_at);

drop index concurrently if exists payments_by_user;
drop index concurrently if exists prop_accounts_by_user;
drop index concurrently if exists payouts_by_user;
drop index concurrently if exists trader_keys_by_user;

-- Written with every step of an intent, and asked by nobody: operators look by state and filter.
drop index concurrently if exists intents_by_owner;
