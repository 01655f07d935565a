-- Outside a transaction

drop index concurrently if exists events_with_owner;

-- For the constraint that a delivery is of its event's owner.
create unique index concurrently events_with_owner on events (id, app);
