-- Outside a transaction
drop index concurrently if exists payout_steps_paid;

create index concurrently payout_steps_paid on payout_steps (ended_at) where step = 'payout' and state = 'done';

drop index concurrently if exists connect_accounts_enabled;

create index concurrently connect_accounts_enabled on connect_accounts (reconciled_at nulls first) where payouts_enabled;
