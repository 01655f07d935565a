-- Outside a transaction
-- Who has enrolled a wallet: asked with every execution, and of every wallet that is due.
drop index concurrently if exists enrollments_by_wallet;

create index concurrently enrollments_by_wallet on enrollments (ex_wallet, owner);
