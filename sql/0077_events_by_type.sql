-- Outside a transaction

drop index concurrently if exists events_by_type;

create index concurrently events_by_type on events (owner, type, position);
