-- Outside a transaction
drop index concurrently if exists payments_by_time;

create index concurrently payments_by_time on payments (created_at, id);

drop index concurrently if exists payments_of_app;

create index concurrently payments_of_app on payments (owner, created_at, id);

drop index concurrently if exists payouts_by_time;

create index concurrently payouts_by_time on payouts (requested_at, id);

drop index concurrently if exists payouts_of_app;

create index concurrently payouts_of_app on payouts (owner, requested_at, id);
